import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * One step of a producer or consumer that stays open between calls, so that a story can be told
 * from outside: {@code producer NAME key=value…}, then {@code begin NAME} and so on. What fails is
 * thrown.
 */
public final class TransactionSteps {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long PATIENCE_MS = 30_000;

    private static final Map<String, KafkaProducer<String, String>> producers = new HashMap<>();
    private static final Map<String, Reader> readers = new HashMap<>();

    private TransactionSteps() {
    }

    public static void main(String[] args) throws Exception {
        String name = args[1];
        switch (args[0]) {
            case "producer":
                producers.put(name, new KafkaProducer<>(
                    properties(args, 2), new StringSerializer(), new StringSerializer()));
                break;
            case "init":
                producers.get(name).initTransactions();
                break;
            case "begin":
                producers.get(name).beginTransaction();
                break;
            case "send":
                for (int i = 3; i < args.length; i++) {
                    producers.get(name).send(new ProducerRecord<>(args[2], args[i])).get();
                }
                break;
            case "offsets":
                Reader read = readers.get(args[2]);
                producers.get(name).sendOffsetsToTransaction(read.positions, read.metadata);
                break;
            case "commit":
                producers.get(name).commitTransaction();
                break;
            case "abort":
                producers.get(name).abortTransaction();
                break;
            case "close":
                close(name);
                break;
            case "reader":
                readers.put(name, new Reader(args[2], properties(args, 3)));
                break;
            case "read":
                readers.get(name).print(Integer.parseInt(args[2]));
                break;
            case "leave":
                leave(name);
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
    }

    /** There is none if this process was started anew since: what ended the other one counts. */
    private static void close(String name) {
        KafkaProducer<String, String> producer = producers.remove(name);
        if (producer != null) {
            producer.close(Duration.ZERO);
        }
    }

    private static void leave(String name) {
        Reader reader = readers.get(name);
        if (reader != null) {
            reader.consumer.close();
        }
    }

    private static Properties properties(String[] args, int from) {
        Properties properties = new Properties();
        for (int i = from; i < args.length; i++) {
            int at = args[i].indexOf('=');
            properties.put(args[i].substring(0, at), args[i].substring(at + 1));
        }
        return properties;
    }

    /** A member of a group; where it is and who it is are known after it has left, too. */
    private static final class Reader {
        final Consumer<String, String> consumer;
        final Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
        ConsumerGroupMetadata metadata;

        Reader(String topic, Properties properties) {
            consumer = new KafkaConsumer<>(
                properties, new StringDeserializer(), new StringDeserializer());
            consumer.subscribe(Collections.singletonList(topic));
        }

        /** Prints the values of so many records, a line each. */
        void print(int count) {
            long endMs = System.currentTimeMillis() + PATIENCE_MS;
            for (int seen = 0; seen < count; ) {
                if (System.currentTimeMillis() > endMs) {
                    throw new IllegalStateException("only " + seen + " of " + count + " records");
                }
                for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
                    System.out.println(record.value());
                    seen++;
                }
            }
            for (TopicPartition partition : consumer.assignment()) {
                positions.put(partition, new OffsetAndMetadata(consumer.position(partition)));
            }
            metadata = consumer.groupMetadata();
        }
    }
}
