"""What must hold in every schedule: one outcome per cause, no stall, nothing left after the end, no unpaid call."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from chassis.subjects import Address, SubscriptionMode
from contracts.envelope import Event, outcome_id
from contracts.events.conversation import ModelCalled
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.registry import ENDINGS, REQUESTS

from tests.simulation.cluster import Cluster

RENEWED_WITHIN_S = 5.0
"""A lease that was not written for so long is held by no process; the server drops it after a week."""


def left_to_do(cluster: Cluster) -> list[str]:
    """Return one line for everything that is not over or not cleaned up yet."""
    return [*cluster.failures, *open_runs(cluster), *_leftovers(cluster)]


def open_runs(cluster: Cluster) -> list[str]:
    """Return one line for each run that has not ended, and for each success that has no outcome."""
    addresses = [(each.subject, Address.of(each.subject)) for each in cluster.server.log]
    stored = {address.id for _, address in addresses}
    opened = _runs_at(addresses, EngineeringRequested)
    ended = {run for each in ENDINGS for run in _runs_at(addresses, each)}
    lines = [f"run {each} has not ended" for each in sorted(opened - ended)]
    successes = [address for subject, address in addresses if subject.startswith(f"{RunSucceeded.subject}.")]
    unlearned = [each.run_id for each in successes if outcome_id(each.id) not in stored]
    return lines + [f"the success of run {each} has no outcome" for each in unlearned]


def _runs_at(addresses: Sequence[tuple[str, Address]], event_class: type[Event]) -> set[UUID]:
    return {address.run_id for subject, address in addresses if subject.startswith(f"{event_class.subject}.")}


def _leftovers(cluster: Cluster) -> list[str]:
    lines = [f"the thread {each} is still in the database" for each in sorted(cluster.database.states)]
    since_s = cluster.loop.now_s - RENEWED_WITHIN_S
    held = [each for each in cluster.server.values if cluster.server.written_s[each] > since_s]
    lines += [f"the lease {each} is still held" for each in sorted(held)]
    lines += [f"a kernel is still open in {each.process.name}" for each in cluster.sessions if each.is_open]
    for name, consumer in cluster.server.consumers.items():
        if f"-{SubscriptionMode.SCHEDULE.value}-" in name:
            continue  # it keeps the openings of runs until their deadlines
        if f"-{SubscriptionMode.SERVE_THREAD.value}-" in name:
            continue  # it expires an hour after the session
        if consumer.pending:
            lines.append(f"{name} has not acknowledged {sorted(consumer.pending)}")
        elif cluster.server.remaining(consumer):
            lines.append(f"{name} has not delivered everything")
    return lines


def broken_rules(cluster: Cluster) -> list[str]:
    """Return one line for each rule that the log of a finished schedule breaks."""
    events = cluster.events()
    missing = [] if cluster.server.has_lost_messages else _missing_causes(events)
    return [*missing, *_doubles(events), *_bad_ends(cluster, events), *_unpaid_calls(cluster, events)]


def _doubles(events: Sequence[Event]) -> list[str]:
    lines = [
        f"{count} events have the id {id_}" for id_, count in Counter(each.id for each in events).items() if count > 1
    ]
    causes = {each.id: each for each in events}
    for event in events:
        if isinstance(event, REQUESTS):
            outcome = causes.get(outcome_id(event.id))
            if outcome is not None and not isinstance(outcome, (*event.outcomes, MessageAbandoned)):
                lines.append(f"{event.type} {event.id} was answered by {outcome.type}")
    return lines


def _missing_causes(events: Sequence[Event]) -> list[str]:
    known = {each.id for each in events}
    return [
        f"the log lacks the cause of {each.type} {each.id}"
        for each in events
        if each.causation_id is not None and each.causation_id not in known
    ]


def _bad_ends(cluster: Cluster, events: Sequence[Event]) -> list[str]:
    """Nothing in these schedules is a reason to fail, but poison, and that only for its own run."""
    healthy = [each for each in events if each.run_id != cluster.poisoned_run]
    failed = [each for each in healthy if isinstance(each, RunFailed)]
    abandoned = [each for each in healthy if isinstance(each, MessageAbandoned)]
    return [
        *(f"run {each.run_id} failed: {each.reason}: {each.detail}" for each in failed),
        *(f"{each.consumer} has abandoned a message: {each.detail}" for each in abandoned),
    ]


def _unpaid_calls(cluster: Cluster, events: Sequence[Event]) -> list[str]:
    """Compare what the provider answered with what the log counts.

    A call may be paid and not counted if its answer was lost, its process died, or two replicas had the same message.
    """
    recorded = Counter(each.role for each in events if isinstance(each, ModelCalled))
    sent = cluster.provider.sent
    excusable = cluster.excuses()
    return [
        f"{role} was answered {sent[role]} times, and the log has {count} calls"
        for role, count in recorded.items()
        if not count <= sent[role] <= count + excusable
    ]
