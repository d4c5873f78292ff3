"""The random numbers of a variant: one stream, in a fixed order, and each is recorded."""

from math import exp, log
from random import Random

from contracts.models.benchmark import Draw

from benchmarks.randomisation import Randomisation, ScaleRange


class Extreme(Random):
    """Draws the end of every range: 0 the lower one, 1 the upper one."""

    def __init__(self, end: float) -> None:
        super().__init__(0)
        self._end = end

    def random(self) -> float:
        """Return the end."""
        return self._end


class Draws:
    """Draws from a stream and records what it drew."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.made: list[Draw] = []

    def uniform(self, name: str, low: float, high: float) -> float:
        """Return a number between two ends, all of them equally likely."""
        return self._recorded(name, self._random.uniform(low, high))

    def scale(self, name: str, limits: ScaleRange, distribution: str) -> float:
        """Return a scale factor; by default halving is as likely as doubling."""
        if distribution == "uniform":
            return self.uniform(name, limits.low, limits.high)
        drawn = exp(self._random.uniform(log(limits.low), log(limits.high)))
        return self._recorded(name, min(max(drawn, limits.low), limits.high))

    def is_mirrored(self, axis: str, randomisation: Randomisation) -> bool:
        """Return whether an axis is mirrored: every second time, if it may be."""
        drawn = self._random.random() < 0.5 and axis in randomisation.mirror
        self._recorded(f"mirror_{axis}", float(drawn))
        return drawn

    def _recorded(self, name: str, value: float) -> float:
        self.made.append(Draw(name=name, value=value))
        return value
