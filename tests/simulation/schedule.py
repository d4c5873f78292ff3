"""One schedule: a seed decides everything that happens in it."""

import gc
import logging
import warnings
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from random import Random
from uuid import UUID

from contracts.events.run import EngineeringRequested
from contracts.models.benchmark import Budget

from tests.contracts import example_values as values
from tests.simulation.cluster import Cluster
from tests.simulation.doubles.provider import MODEL, OTHER_MODEL
from tests.simulation.doubles.seams import EPOCH, virtual_world
from tests.simulation.doubles.services import SESSION_SEAMS, WITH_SESSIONS, WITHOUT_SESSIONS, AnyArtifacts
from tests.simulation.event_loop import current_process
from tests.simulation.faults import CALM_FROM_S, OTHER_MODEL_AWAY_S, FaultPlan, Nemesis, draw_plan
from tests.simulation.invariants import broken_rules, left_to_do, open_runs

SETTLED_WITHIN_S = 240.0
"""After the last fault, all runs have ended and nothing is left of them within this time."""
DEADLINE_S = 36_000.0
"""Of each run: far beyond the end of a schedule, so that no stall ends by its deadline unseen."""
LOOK_EVERY_S = 2.0
SESSIONS_SHARE = 0.5
"""Share of the schedules with the real manager of sessions; the others take less time."""


@dataclass(frozen=True)
class Finding:
    """What one schedule came to."""

    seed: int
    problems: tuple[str, ...]
    diary: tuple[str, ...]
    events: tuple[str, ...]
    virtual_s: float
    steps: int
    fingerprint: int
    """Equal for equal schedules."""


def run_schedule(seed: int, adjust: Callable[[FaultPlan], FaultPlan] | None = None, *, logs: bool = False) -> Finding:
    """Run the schedule of a seed, and check it; with `logs` print what the services log.

    `adjust` changes the drawn plan, to look for one fault only.
    """
    random = Random(seed)
    services = WITH_SESSIONS if random.random() < SESSIONS_SHARE else WITHOUT_SESSIONS
    plan = draw_plan(random)
    if adjust is not None:
        plan = adjust(plan)
    single = ("workers",) if plan.is_one_poisoned else ()  # another replica would finish the neighbour's work
    cluster = Cluster(random, plan.rates, services, AnyArtifacts, single)
    nemesis = Nemesis(cluster, plan)
    with _logging(cluster) if logs else _quiet(), virtual_world(cluster.loop, cluster.wire, seed, SESSION_SEAMS):
        nemesis.begin()
        requests = _requests(seed, plan, random)
        for number, request in enumerate(requests):
            cluster.network.later(random.uniform(0.0, 0.4) + number, partial(cluster.publish, request))
        if plan.is_one_poisoned:
            cluster.poisoned_run = _run_id(seed, 0)
        problems = _work(cluster, plan, requests[-1].run_id)
        finding = Finding(
            seed=seed,
            problems=tuple(problems),
            diary=tuple(nemesis.diary),
            events=tuple(f"{each.sequence:4d} {each.subject}" for each in cluster.server.log),
            virtual_s=cluster.loop.now_s,
            steps=cluster.loop.steps,
            fingerprint=_fingerprint(cluster),
        )
        cluster.dispose()
    return finding


def _fingerprint(cluster: Cluster) -> int:
    log = "\n".join(each.subject for each in cluster.server.log)
    return zlib.crc32(f"{cluster.loop.steps} {cluster.loop.now_s!r}\n{log}".encode())


def _work(cluster: Cluster, plan: FaultPlan, neighbour: UUID) -> list[str]:
    """Run until everything is done; return what is not, or what went wrong."""
    until_s, settled_by_s = 1.0, CALM_FROM_S + SETTLED_WITHIN_S * (2 if plan.is_one_poisoned else 1)
    while until_s < settled_by_s:
        cluster.loop.run_until(lambda: False, until_s)
        if plan.is_other_model_away and until_s < OTHER_MODEL_AWAY_S <= until_s + LOOK_EVERY_S:
            waiting = [each for each in open_runs(cluster) if str(neighbour) in each]
            if waiting:
                return [f"{each}, because the model of another run is away" for each in waiting]
        if cluster.server.log and not left_to_do(cluster) and _is_quiet(cluster):
            return broken_rules(cluster)
        until_s += LOOK_EVERY_S
    return left_to_do(cluster) + broken_rules(cluster)


def _is_quiet(cluster: Cluster) -> bool:
    """Return whether no fault is to come that the finished work could still suffer from."""
    return cluster.network.is_calm or all(not node.process or node.process.is_alive for node in cluster.nodes)


def _requests(seed: int, plan: FaultPlan, random: Random) -> list[EngineeringRequested]:
    """Return the runs of a schedule; the last one is the neighbour of those that have a fault of their own.

    As many runs wait for the other model as each role has workers in all its replicas.
    """
    if plan.is_other_model_away:
        models = [OTHER_MODEL, OTHER_MODEL, MODEL]
    else:
        models = [MODEL] * (2 if plan.is_one_poisoned else random.choice((1, 1, 2)))
    return [_opening(_run_id(seed, number), model) for number, model in enumerate(models)]


def _run_id(seed: int, number: int) -> UUID:
    return UUID(int=(seed << 8) + number + 1, version=4)


def _opening(run_id: UUID, model: str) -> EngineeringRequested:
    return EngineeringRequested(
        id=run_id,
        run_id=run_id,
        role="planner",
        producer="cli",
        assignment=values.ASSIGNMENT,
        budget=Budget(max_steps=30, deadline_s=DEADLINE_S, max_rejections=2),
        model=model,
        occurred_at=EPOCH,
    )


@contextmanager
def _quiet() -> Generator[None]:
    """Log nothing, and collect no garbage in between: tasks of killed processes must not be finalized."""
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    gc.disable()
    try:
        with warnings.catch_warnings():
            yield
            gc.collect()
    finally:
        gc.enable()
        logging.disable(disabled)


@contextmanager
def _logging(cluster: Cluster) -> Generator[None]:
    """Print what the services log, with virtual time and process."""

    def format_record(record: logging.LogRecord) -> str:
        process = current_process()
        text = " ".join(record.getMessage().split())[:400]
        error = f" {record.exc_info[1]!r}"[:400] if record.exc_info and record.exc_info[1] else ""
        return f"{cluster.loop.now_s:8.3f} s  {process.name if process else 'world'}: {text}{error}"

    handler, level = logging.StreamHandler(), logging.root.level
    handler.format = format_record
    logging.root.addHandler(handler)
    logging.root.setLevel(logging.INFO)
    gc.disable()
    try:
        with warnings.catch_warnings():
            yield
    finally:
        gc.enable()
        logging.root.removeHandler(handler)
        logging.root.setLevel(level)
