"""Reads, transforms and writes exactly once with librdkafka: one transactional id a worker, and the
generation of its group goes with the offsets (KIP-447). Arguments: see task.ts."""
import os
import random
import sys
import threading
import time

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

(role, servers, worker, group, source, target) = sys.argv[1:7]
(partitions, timeout_ms, largest, abort_percent, seed) = map(int, sys.argv[7:12])
chance = random.Random(seed)
shared = {
    'bootstrap.servers': servers,
    'client.id': worker,
    'log_level': 0,
    'reconnect.backoff.max.ms': 500,
    'topic.metadata.refresh.interval.ms': 5000,
}


def say(line):
    sys.stdout.write(line + '\n')
    sys.stdout.flush()


def watch():
    """Some calls never return once the broker that they wait for left (librdkafka issue 5511)."""
    while time.monotonic() - alive_at < PATIENCE_S:
        time.sleep(1)
    say('failed a call of librdkafka has not returned for %d s' % PATIENCE_S)
    os._exit(4)


PATIENCE_S = 30
alive_at = time.monotonic()


def end(code, error):
    say('%s %s' % ('fenced' if code == 3 else 'failed', error))
    sys.exit(code)


consumer = Consumer({
    **shared,
    'group.id': group,
    'isolation.level': 'read_committed',
    'enable.auto.commit': False,
    'auto.offset.reset': 'earliest',
    'session.timeout.ms': 6000,
    'heartbeat.interval.ms': 1000,
    'fetch.wait.max.ms': 200,
})
metadata = None
producer = None


def on_assign(_consumer, _partitions):
    # As of this generation: that of a member which lost its place would no longer tell.
    global metadata
    metadata = consumer.consumer_group_metadata()


def until_done(step):
    """Again while it may help; KafkaException otherwise."""
    while True:
        try:
            return step()
        except KafkaException as error:
            if not error.args[0].retriable():
                raise


def transact(messages, first, following):
    producer.begin_transaction()
    failures = []

    def delivered(error, _message):
        if error is not None:
            failures.append(error)

    for message in messages:
        while True:
            try:
                producer.produce(
                    target,
                    partition=int(message.key()) % partitions,
                    key=message.key(),
                    value=b'%d:%d:%s' % (message.partition(), message.offset(), message.value()),
                    on_delivery=delivered,
                )
                break
            except BufferError:
                producer.poll(0.1)
    if chance.randrange(100) < abort_percent:
        producer.flush(chance.choice([0, 10]))
        abort(first, 'by choice')
        return
    offsets = [TopicPartition(source, p, offset) for p, offset in following.items()]
    until_done(lambda: producer.send_offsets_to_transaction(offsets, metadata, 20))
    until_done(lambda: producer.commit_transaction(20))
    say('committed %d' % len(messages))


def abort(first, reason):
    until_done(lambda: producer.abort_transaction(20))
    say('aborted %s' % reason)
    assigned = {each.partition for each in consumer.assignment()}
    for partition, offset in first.items():
        if partition in assigned:
            consumer.seek(TopicPartition(source, partition, offset))


def read():
    consumer.subscribe([target])
    while True:
        for message in consumer.consume(500, timeout=0.2):
            if message.error() is None:
                value = message.value().decode()
                say('read %d %d %s' % (message.partition(), message.offset(), value))


def work():
    global alive_at, producer
    producer = Producer({
        **shared,
        'transactional.id': worker,
        'transaction.timeout.ms': timeout_ms,
        'linger.ms': 1,
    })
    threading.Thread(target=watch, daemon=True).start()
    until_done(lambda: producer.init_transactions(20))
    consumer.subscribe([source], on_assign=on_assign)
    say('ready')
    while True:
        alive_at = time.monotonic()
        consumed = consumer.consume(1 + chance.randrange(largest), timeout=0.2)
        messages = [message for message in consumed if message.error() is None]
        if not messages:
            continue
        first = {}
        following = {}
        for message in messages:
            first.setdefault(message.partition(), message.offset())
            following[message.partition()] = message.offset() + 1
        try:
            transact(messages, first, following)
        except KafkaException as failure:
            error = failure.args[0]
            if error.fatal():
                end(3, error)
            if not error.txn_requires_abort():
                end(4, error)
            abort(first, error)


try:
    read() if role == 'read' else work()
except KafkaException as failure:
    end(3 if failure.args[0].fatal() else 4, failure.args[0])
