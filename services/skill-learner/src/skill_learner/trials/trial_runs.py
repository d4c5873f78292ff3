"""The runs of a trial: real engineering runs through the same queue, with pinned skills and held-out seeds."""

import hashlib
from typing import NamedTuple
from uuid import UUID, uuid5

from artifacts.port import ArtifactStore
from benchmarks.loader import CODE_TYPE, load
from contracts.envelope import requesting_design
from contracts.events.run import EngineeringRequested
from contracts.events.skill import TrialOptions
from contracts.models.benchmark import Assignment
from contracts.skills import PinnedSkill, TrialArm, TrialMember
from store.skills.trials import StoredTrial

HELD_OUT_FROM = 1_000_000
"""Users' seeds are below; nothing is learned from runs of a trial, so that no skill has seen these."""
HELD_OUT = 1_000_000
QUANTITY = 100
"""Pieces, as the command orders by default."""


def held_out_seed(trial_id: UUID, pair: int) -> int:
    """Return the seed of a pair, the same for both arms."""
    digest = hashlib.sha256(f"{trial_id} {pair}".encode()).digest()
    return HELD_OUT_FROM + int.from_bytes(digest[:4]) % HELD_OUT


def run_id_of(trial_id: UUID, pair: int, arm: TrialArm) -> UUID:
    """Return the run of an arm in a pair."""
    return uuid5(trial_id, f"{pair} {arm}")


def pair_of(trial_id: UUID, run_id: UUID, arm: TrialArm, most_pairs: int) -> int:
    """Return the pair of a run."""
    return next(pair for pair in range(most_pairs) if run_id_of(trial_id, pair, arm) == run_id)


async def request_of(trial: StoredTrial, pair: int, arm: TrialArm, artifacts: ArtifactStore) -> EngineeringRequested:
    """Return the request of one run, after its environment's code is stored."""
    request = trial.request
    run = PinnedRun(
        run_id=run_id_of(request.run_id, pair, arm),
        benchmark=request.benchmarks[pair % len(request.benchmarks)],
        seed=held_out_seed(request.run_id, pair),
        skills=skills_of(trial, arm),
        member=TrialMember(trial_id=request.run_id, arm=arm),
    )
    return await request_run(run, request, artifacts)


class PinnedRun(NamedTuple):
    """A run that is compared with others: in which world, and with which skills alone."""

    run_id: UUID
    benchmark: str
    seed: int
    skills: tuple[PinnedSkill, ...]
    member: TrialMember
    producer: str = "skill-learner"


async def request_run(run: PinnedRun, options: TrialOptions, artifacts: ArtifactStore) -> EngineeringRequested:
    """Return the request of a run, after its environment's code is stored."""
    loaded = load(run.benchmark, run.seed)
    await artifacts.put(loaded.environment_code, CODE_TYPE)
    return EngineeringRequested(
        **requesting_design(run.run_id, run.producer, "trial"),
        assignment=Assignment(variant=loaded.variant, limits=loaded.limits, quantity=QUANTITY),
        budget=options.budget,
        model=options.model,
        skills=run.skills,
        trial=run.member,
        is_filmed=False,
    )


def skills_of(trial: StoredTrial, arm: TrialArm) -> tuple[PinnedSkill, ...]:
    """Return exactly the skills of an arm: they differ in the version on trial alone."""
    request = trial.request
    version = request.version if arm == "proposed" else request.base_version
    if version is None:
        return trial.pinned
    return (*trial.pinned, PinnedSkill(for_role=request.for_role, name=request.name, version=version))
