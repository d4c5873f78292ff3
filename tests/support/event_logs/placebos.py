"""Trials of texts that change nothing, decided pair by pair by the rule that decides real ones."""

import random
from collections import Counter
from uuid import UUID

from contracts.envelope import opening
from contracts.events.skill import TrialRequested
from contracts.skills import TrialArm, TrialVerdict
from skill_learner.trials.figures import ARMS, complete_pairs, decide, figures_of
from store.skills.trials import TrialRun

TRIAL = UUID(int=1)


def placebo_verdicts(
    trials: int, solved_share: float, target: str, most_pairs: int, seed: str
) -> Counter[TrialVerdict]:
    """Return the verdicts on placebos: both arms solve, and meet the target failure, with the same probabilities."""
    request = TrialRequested(
        **opening(TRIAL, "trial", "skill-learner", "cli"),
        name="placebo",
        for_role="engineer",
        version=1,
        benchmarks=("gravity-chute",),
        model="scripted",
        target=target,
        most_pairs=most_pairs,
    )
    return Counter(_verdict(request, solved_share, random.Random(f"{seed} {number}")) for number in range(trials))


def _verdict(request: TrialRequested, solved_share: float, dice: random.Random) -> TrialVerdict:
    """Look at the figures after each pair, as the conductor does."""
    runs: list[TrialRun] = []
    while True:
        pair = len(runs) // len(ARMS)
        runs += [_run(pair, arm, solved_share, dice) for arm in ARMS]
        decided = decide(figures_of(complete_pairs(runs), has_target=bool(request.target)), request)
        if decided is not None:
            return decided.verdict


def _run(pair: int, arm: TrialArm, solved_share: float, dice: random.Random) -> TrialRun:
    failures = dice.choice((0, 0, 1, 2))
    return TrialRun(
        run_id=UUID(int=dice.getrandbits(128)),
        trial_id=TRIAL,
        pair=pair,
        arm=arm,
        is_solved=dice.random() < solved_share,
        failures=failures,
        target_failures=failures,
    )
