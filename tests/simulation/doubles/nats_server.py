"""A NATS server in memory: one stream, its pull consumers, one bucket of leases, and plain subscriptions.

Only what the chassis relies on. `test_nats_conformance.py` runs the same cases against a real server.
"""

from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from chassis.subjects import STREAM
from nats.js.api import ConsumerConfig
from nats.js.errors import BadRequestError, NotFoundError

MESSAGE_NOT_FOUND = 10037
CONSUMER_NOT_FOUND = 10014
WRONG_LAST_SEQUENCE = 10071

Timer = Callable[[float, Callable[[], None]], None]
"""Calls a function after so many seconds."""
Deliver = Callable[["Delivery"], None]


@lru_cache(maxsize=4096)
def _tokens(subject: str) -> tuple[str, ...]:
    return tuple(subject.split("."))


@lru_cache(maxsize=1 << 16)
def matches(pattern: str, subject: str) -> bool:
    """Return whether a subject falls under a filter with `*` and `>`."""
    filters, tokens = _tokens(pattern), _tokens(subject)
    if filters[-1] == ">":
        filters = filters[:-1]
        if len(tokens) <= len(filters):
            return False
    elif len(tokens) != len(filters):
        return False
    return all(each in {"*", token} for each, token in zip(filters, tokens, strict=False))


@dataclass(frozen=True)
class Stored:
    """One message of the stream."""

    sequence: int
    subject: str
    data: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Delivery:
    """A message on its way to a puller."""

    message: Stored
    reply: str


@dataclass
class Pending:
    """A delivered message without acknowledgement, or one that waits to be delivered again."""

    due_s: float
    is_waiting: bool = False


@dataclass
class Consumer:
    """A durable pull consumer."""

    config: ConsumerConfig
    next_sequence: int = 1
    pending: dict[int, Pending] = field(default_factory=dict[int, Pending])
    again: deque[int] = field(default_factory=deque[int])
    counts: dict[int, int] = field(default_factory=dict[int, int])
    """How often each message was delivered."""
    pullers: deque[Deliver] = field(default_factory=deque[Deliver])

    @property
    def pattern(self) -> str:
        return self.config.filter_subject or ">"


@dataclass(frozen=True)
class SyncPoint:
    """What is on disk."""

    last_sequence: int
    consumers: Mapping[str, tuple[ConsumerConfig, int, tuple[int, ...], Mapping[int, int]]]
    values: Mapping[str, tuple[int, bytes]]
    revision: int


class NatsServer:
    """State and rules of the server; no call takes time."""

    def __init__(self, now_s: Callable[[], float], timer: Timer) -> None:
        self._now_s = now_s
        self._timer = timer
        self.log: list[Stored] = []
        self._by_id: dict[str, Stored] = {}
        self._newest: dict[str, tuple[int, Stored | None]] = {}
        """The newest message by filter, and how many messages were searched for it."""
        self.consumers: dict[str, Consumer] = {}
        self.values: dict[str, tuple[int, bytes]] = {}
        """The bucket: revision and value by key."""
        self.written_s: dict[str, float] = {}
        """When each key was written last."""
        self._revision = 0
        self.records: dict[str, bytes] = {}
        """The newest message of each subject of the other streams."""
        self.has_lost_messages = False
        self.listeners: dict[object, tuple[str, Callable[[str, bytes], None]]] = {}
        self.incarnation = 0
        self.on_restart: list[Callable[[], None]] = []

    def store(self, subject: str, data: bytes, headers: Mapping[str, str]) -> tuple[int, bool]:
        """Store a message unless its id is taken; return its sequence and whether it is a duplicate."""
        self.notify(subject, data)
        id_ = subject.rpartition(".")[2]
        expected = headers.get("Nats-Expected-Last-Subject-Sequence-Subject")
        if expected is not None and not self._is_last(expected, int(headers["Nats-Expected-Last-Subject-Sequence"])):
            raise BadRequestError(code=400, err_code=WRONG_LAST_SEQUENCE, description="wrong last sequence")
        known = self._by_id.get(id_)
        if known is not None and headers.get("Nats-Msg-Id") == known.headers.get("Nats-Msg-Id"):
            return known.sequence, True
        message = Stored(len(self.log) + 1, subject, data, headers)
        self.log.append(message)
        self._by_id[id_] = message
        for consumer in self.consumers.values():
            self._dispatch(consumer)
        return message.sequence, False

    def _is_last(self, pattern: str, sequence: int) -> bool:
        found = self.last(pattern)
        return (0 if found is None else found.sequence) == sequence

    def subjects(self, pattern: str) -> dict[str, int]:
        """Return the number of messages of each subject under a filter."""
        return dict(Counter(each.subject for each in self.log if matches(pattern, each.subject)))

    def last(self, pattern: str) -> Stored | None:
        """Return the newest message under a filter."""
        id_ = pattern.rpartition(".")[2]
        if id_ not in {"*", ">"}:
            found = self._by_id.get(id_)
            return found if found is not None and matches(pattern, found.subject) else None
        searched, newest = self._newest.get(pattern, (0, None))
        unsearched = (self.log[index] for index in range(len(self.log) - 1, searched - 1, -1))
        newest = next((each for each in unsearched if matches(pattern, each.subject)), newest)
        self._newest[pattern] = (len(self.log), newest)
        return newest

    def require_last(self, pattern: str) -> Stored:
        """Return the newest message under a filter; raise `NotFoundError`."""
        return _require(self.last(pattern))

    def require_at(self, sequence: int, pattern: str | None = None) -> Stored:
        """Return the message with this number, or the first one from it on under a filter; raise `NotFoundError`."""
        rest = self.log[sequence - 1 :]
        if pattern is None:
            return _require(rest[0] if rest else None)
        return _require(next((each for each in rest if matches(pattern, each.subject)), None))

    def add_consumer(self, config: ConsumerConfig) -> None:
        """Create or update a consumer."""
        name = config.durable_name or ""
        known = self.consumers.setdefault(name, Consumer(config))
        known.config = config
        self._dispatch(known)

    def delete_consumer(self, name: str) -> bool:
        """Remove a consumer; raise `NotFoundError`."""
        self.consumer(name)
        del self.consumers[name]
        return True

    def consumer(self, name: str) -> Consumer:
        """Return a consumer; raise `NotFoundError`."""
        if name not in self.consumers:
            raise NotFoundError(code=404, err_code=CONSUMER_NOT_FOUND, description="consumer not found")
        return self.consumers[name]

    def remaining(self, consumer: Consumer) -> int:
        """Return how many messages a consumer has not delivered yet."""
        return sum(matches(consumer.pattern, each.subject) for each in self.log[consumer.next_sequence - 1 :])

    def pull(self, name: str, deliver: Deliver) -> None:
        """Wait for one message; raise `NotFoundError`."""
        consumer = self.consumer(name)
        consumer.pullers.append(deliver)
        self._dispatch(consumer)

    def stop_pulling(self, name: str, deliver: Deliver) -> None:
        """Forget a puller."""
        consumer = self.consumers.get(name)
        if consumer is not None and deliver in consumer.pullers:
            consumer.pullers.remove(deliver)

    def acknowledge(self, reply: str, data: bytes) -> None:
        """Take an acknowledgement of any kind."""
        tokens = reply.split(".")
        consumer, sequence = self.consumers.get(tokens[3]), int(tokens[5])
        if consumer is None or sequence not in consumer.pending:
            return
        if data.startswith(b"+WPI"):
            consumer.pending[sequence].due_s = max(
                consumer.pending[sequence].due_s, self._now_s() + (consumer.config.ack_wait or 30.0)
            )
            return
        if data.startswith(b"-NAK"):
            consumer.pending[sequence].is_waiting = False
            self._deliver_again_in(consumer, sequence, _delay_s(data))
            return
        del consumer.pending[sequence]  # +ACK and +TERM
        if sequence in consumer.again:
            consumer.again.remove(sequence)
        self._dispatch(consumer)

    def deliver_once_more(self, name: str, sequence: int) -> None:
        """Deliver a message again although its time is not over, as after a lost keepalive."""
        consumer = self.consumers.get(name)
        if consumer is not None and sequence in consumer.pending:
            self._requeue(consumer, sequence)

    def require_record(self, subject: str) -> Stored:
        """Return the newest message of a subject of another stream; raise `NotFoundError`."""
        data = self.records.get(subject)
        return _require(None if data is None else Stored(1, subject, data, {}))

    def read_value(self, key: str) -> tuple[int, bytes] | None:
        """Return revision and value of a key."""
        return self.values.get(key)

    def write_value(self, key: str, value: bytes, last_revision: int) -> int | None:
        """Overwrite a revision, 0 for none; an empty value removes the key. Return None if another one is newer."""
        known = self.values.get(key)
        if (0 if known is None else known[0]) != last_revision:
            return None
        self._revision += 1
        self.written_s[key] = self._now_s()
        if value:
            self.values[key] = (self._revision, value)
        else:
            self.values.pop(key, None)
        self.notify(f"$KV.{STREAM}_LEASES.{key}", value)
        return self._revision

    def notify(self, subject: str, data: bytes) -> None:
        """Pass a message on to plain subscriptions."""
        for pattern, listener in list(self.listeners.values()):
            if matches(pattern, subject):
                listener(subject, data)

    def sync_point(self) -> SyncPoint:
        """Return what a sync to disk would write now."""
        consumers = {
            name: (each.config, each.next_sequence, tuple(each.pending), dict(each.counts))
            for name, each in self.consumers.items()
        }
        return SyncPoint(len(self.log), consumers, dict(self.values), self._revision)

    def restart(self, disk: SyncPoint | None = None) -> None:
        """Restart; after a power loss only what is on disk is left."""
        self.incarnation += 1
        if disk is not None:
            self.has_lost_messages = self.has_lost_messages or len(self.log) > disk.last_sequence
            for lost in self.log[disk.last_sequence :]:
                self._by_id.pop(lost.subject.rpartition(".")[2], None)
            del self.log[disk.last_sequence :]
            self._newest.clear()
            self.values, self._revision = dict(disk.values), disk.revision
            self.consumers = {
                name: Consumer(config, next_sequence, {each: Pending(0.0) for each in pending}, deque(), dict(counts))
                for name, (config, next_sequence, pending, counts) in disk.consumers.items()
            }
            for consumer in self.consumers.values():
                for sequence in list(consumer.pending):
                    self._deliver_again_in(consumer, sequence, consumer.config.ack_wait or 30.0)
        for consumer in self.consumers.values():
            consumer.pullers.clear()
        for notify in list(self.on_restart):
            notify()

    def _dispatch(self, consumer: Consumer) -> None:
        limit = consumer.config.max_ack_pending or -1
        while consumer.pullers:
            if consumer.again:
                sequence = consumer.again.popleft()
            elif 0 < limit <= len(consumer.pending):
                return
            else:
                message = self._next_of(consumer)
                if message is None:
                    return
                sequence = message.sequence
            self._deliver(consumer, sequence)

    def _next_of(self, consumer: Consumer) -> Stored | None:
        while consumer.next_sequence <= len(self.log):
            message = self.log[consumer.next_sequence - 1]
            consumer.next_sequence += 1
            if matches(consumer.pattern, message.subject):
                return message
        return None

    def _deliver(self, consumer: Consumer, sequence: int) -> None:
        count = consumer.counts[sequence] = consumer.counts.get(sequence, 0) + 1
        wait_s = consumer.config.ack_wait or 30.0
        name = consumer.config.durable_name
        pending = consumer.pending[sequence] = Pending(self._now_s() + wait_s)
        reply = f"$JS.ACK.{STREAM}.{name}.{count}.{sequence}.{sequence}.1700000000000000000.0"
        consumer.pullers.popleft()(Delivery(self.log[sequence - 1], reply))
        self._timer(wait_s, lambda: self._check(consumer, sequence, pending))

    def _check(self, consumer: Consumer, sequence: int, pending: Pending) -> None:
        if consumer.pending.get(sequence) is not pending or pending.is_waiting:
            return
        left_s = pending.due_s - self._now_s()
        if left_s > 1e-9:
            self._timer(left_s, lambda: self._check(consumer, sequence, pending))
        else:
            self._requeue(consumer, sequence)

    def _deliver_again_in(self, consumer: Consumer, sequence: int, delay_s: float) -> None:
        waiting = consumer.pending[sequence] = Pending(self._now_s() + delay_s, is_waiting=True)

        def requeue() -> None:
            if consumer.pending.get(sequence) is waiting:
                self._requeue(consumer, sequence)

        self._timer(delay_s, requeue)

    def _requeue(self, consumer: Consumer, sequence: int) -> None:
        if sequence not in consumer.again:
            consumer.pending[sequence] = Pending(0.0, is_waiting=True)
            consumer.again.append(sequence)
            self._dispatch(consumer)


def _require(message: Stored | None) -> Stored:
    if message is None:
        raise NotFoundError(code=404, err_code=MESSAGE_NOT_FOUND, description="no message found")
    return message


def _delay_s(nak: bytes) -> float:
    """Return the delay of a negative acknowledgement, as nats-py encodes it."""
    _, _, delay = nak.partition(b'"delay":')
    return int(delay.strip(b" }")) / 1e9 if delay else 0.0
