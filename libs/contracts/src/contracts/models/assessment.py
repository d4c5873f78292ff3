"""The assessment of a design: the replicas of a review's reruns under further seeds, counted together."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, Self

from pydantic import FiniteFloat, NonNegativeInt

from contracts.confidence import wilson_interval
from contracts.model import Model
from contracts.models.simulation import Ending

ENOUGH_REPLICAS = 29
"""0.9 to the power of 29 is 0.047: at a success rate of 90 %, 29 successes in a row have a probability below 5 %.
Fewer replicas, however successful, do not rule out a design that fails every tenth time."""
ENOUGH_SEEDS = 5
STABLE_FROM = 0.9
"""Share of the replicas that must reach the goal."""


class Rerun(Model):
    """The replicas of one simulation of the design under review."""

    seed: NonNegativeInt
    endings: tuple[Ending, ...]
    """Of the replicas, in order. The same seed gives the same replicas, so that a longer rerun contains a shorter."""


class Assessment(Model):
    """How many replicas of all reruns of a review reached the goal."""

    verdict: Literal["stable", "flaky", "undecided"]
    """`undecided`: fewer than 29 replicas or 5 seeds."""
    seeds: tuple[int, ...]
    """Other than the seed of the simulation that the verdict rests on: that one's replicas are known already."""
    replicas: NonNegativeInt
    """All of them: a replica that failed numerically has not passed."""
    reached: NonNegativeInt
    success_rate: FiniteFloat
    confidence: tuple[FiniteFloat, FiniteFloat]
    """Wilson's interval of the true rate, with 95 % confidence."""
    endings: dict[str, int]
    """Number of replicas by ending."""

    @classmethod
    def of(cls, reruns: Iterable[Rerun], judged_seed: int) -> Self:
        """Count each seed once, with its longest rerun, except `judged_seed`, under which the design was judged."""
        by_seed: dict[int, Rerun] = {}
        for rerun in reruns:
            known = by_seed.get(rerun.seed)
            if rerun.seed != judged_seed and (known is None or len(known.endings) < len(rerun.endings)):
                by_seed[rerun.seed] = rerun
        endings = Counter(ending for rerun in by_seed.values() for ending in rerun.endings)
        replicas, reached = endings.total(), endings["reached_goal"]
        seeds = tuple(sorted(by_seed))
        return cls(
            verdict=_verdict(seeds, replicas, reached),
            seeds=seeds,
            replicas=replicas,
            reached=reached,
            success_rate=reached / replicas if replicas else 0.0,
            confidence=wilson_interval(reached, replicas),
            endings=dict(sorted(endings.items())),
        )

    @property
    def is_sufficient(self) -> bool:
        """Whether a design may be approved on it: at least 29 replicas under 5 seeds, and 90 % of them successful."""
        return _verdict(self.seeds, self.replicas, self.reached) == "stable"

    def __str__(self) -> str:
        """Return the verdict with its figures."""
        low, high = self.confidence
        return (
            f"{self.verdict}: {self.reached} of {self.replicas} replicas under {len(self.seeds)} seeds reached the "
            f"goal, {low:.0%} to {high:.0%} with 95 % confidence"
        )

    __repr__ = __str__


class AssessmentRecord(Model):
    """An assessment as the host counted it from the simulations that it has answered."""

    assessment: Assessment
    fingerprint: str
    """That of a variable which holds exactly this assessment."""


def _verdict(seeds: Sequence[int], replicas: int, reached: int) -> Literal["stable", "flaky", "undecided"]:
    if replicas < ENOUGH_REPLICAS or len(set(seeds)) < ENOUGH_SEEDS:
        return "undecided"
    return "stable" if reached >= STABLE_FROM * replicas else "flaky"
