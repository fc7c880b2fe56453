import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApplicationRecoverableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Reads, transforms and writes exactly once with Kafka's own client: one transactional id a worker,
 * and the generation of its group goes with the offsets (KIP-447). Arguments: see task.ts.
 */
public final class FireWorker {
    private static final Duration POLL = Duration.ofMillis(200);

    private final String source;
    private final String target;
    private final int partitions;
    private final int abortPercent;
    private final Random chance;
    private final KafkaConsumer<String, String> consumer;
    private final KafkaProducer<String, String> producer;

    private FireWorker(String[] args) {
        source = args[4];
        target = args[5];
        partitions = Integer.parseInt(args[6]);
        abortPercent = Integer.parseInt(args[9]);
        chance = new Random(Long.parseLong(args[10]));
        Properties reading = shared(args);
        reading.put("group.id", args[3]);
        reading.put("isolation.level", "read_committed");
        reading.put("enable.auto.commit", "false");
        reading.put("auto.offset.reset", "earliest");
        reading.put("session.timeout.ms", "6000");
        reading.put("heartbeat.interval.ms", "1000");
        reading.put("max.poll.interval.ms", "60000");
        reading.put("max.poll.records", args[8]);
        reading.put("fetch.max.wait.ms", "200");
        reading.put("key.deserializer", StringDeserializer.class.getName());
        reading.put("value.deserializer", StringDeserializer.class.getName());
        consumer = new KafkaConsumer<>(reading);
        Properties writing = shared(args);
        writing.put("transactional.id", args[2]);
        writing.put("transaction.timeout.ms", args[7]);
        writing.put("max.block.ms", "30000");
        writing.put("key.serializer", StringSerializer.class.getName());
        writing.put("value.serializer", StringSerializer.class.getName());
        producer = args[0].equals("read") ? null : new KafkaProducer<>(writing);
    }

    public static void main(String[] args) {
        try {
            FireWorker worker = new FireWorker(args);
            if (args[0].equals("read")) {
                worker.read();
            } else {
                worker.work();
            }
        } catch (ApplicationRecoverableException fenced) {
            end(3, fenced);
        } catch (RuntimeException failure) {
            end(4, failure);
        }
    }

    private static Properties shared(String[] args) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", args[1]);
        properties.put("client.id", args[2]);
        properties.put("reconnect.backoff.max.ms", "500");
        properties.put("metadata.max.age.ms", "5000");
        return properties;
    }

    private static void say(String line) {
        System.out.println(line);
    }

    private static void end(int code, RuntimeException failure) {
        say((code == 3 ? "fenced " : "failed ") + oneLine(failure));
        // What was begun is left to whoever comes next, as if the process had been killed.
        Runtime.getRuntime().halt(code);
    }

    private static String oneLine(Throwable failure) {
        return failure.toString().replace('\n', ' ');
    }

    private void read() {
        consumer.subscribe(List.of(target));
        while (true) {
            for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
                say("read " + record.partition() + " " + record.offset() + " " + record.value());
            }
        }
    }

    private void work() {
        retried(producer::initTransactions);
        consumer.subscribe(List.of(source));
        say("ready");
        while (true) {
            ConsumerRecords<String, String> records = consumer.poll(POLL);
            if (records.isEmpty()) {
                continue;
            }
            // As of this generation: that of a member which lost its place would no longer tell.
            ConsumerGroupMetadata member = consumer.groupMetadata();
            try {
                transact(records, member);
            } catch (ApplicationRecoverableException fenced) {
                throw fenced;
            } catch (TimeoutException unknown) {
                // Whether it was committed is for the next process to find out.
                throw unknown;
            } catch (KafkaException failure) {
                abort(records, oneLine(failure));
            }
        }
    }

    private void transact(ConsumerRecords<String, String> records, ConsumerGroupMetadata member) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        producer.beginTransaction();
        for (ConsumerRecord<String, String> record : records) {
            int partition = Integer.parseInt(record.key()) % partitions;
            String value = record.partition() + ":" + record.offset() + ":" + record.value();
            producer.send(new ProducerRecord<>(target, partition, record.key(), value));
            offsets.put(new TopicPartition(source, record.partition()),
                    new OffsetAndMetadata(record.offset() + 1));
        }
        if (chance.nextInt(100) < abortPercent) {
            if (chance.nextBoolean()) {
                producer.flush();
            }
            abort(records, "by choice");
            return;
        }
        producer.sendOffsetsToTransaction(offsets, member);
        retried(producer::commitTransaction);
        say("committed " + records.count());
    }

    private void abort(ConsumerRecords<String, String> records, String reason) {
        retried(producer::abortTransaction);
        say("aborted " + reason);
        for (TopicPartition partition : records.partitions()) {
            consumer.seek(partition, records.records(partition).get(0).offset());
        }
    }

    /** Again once where it took too long: that is allowed for the same step. */
    private static void retried(Runnable step) {
        try {
            step.run();
        } catch (TimeoutException late) {
            step.run();
        }
    }
}
