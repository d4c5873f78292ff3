"""Which bodies are one: those that connections join. What the environment never moves is the ground, one group."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from contracts.models.mechanism import Connection, Mechanism

from cad_worker.validation.bodies import Block, Fixture

GROUND = ""
"""The group of all that never moves; no body has this label."""


class RigidGroups:
    """Bodies that cannot move against each other."""

    def __init__(self, fixed: Iterable[str], connections: Iterable[Connection]) -> None:
        self._parents: dict[str, str] = dict.fromkeys(fixed, GROUND)
        for connection in connections:
            self.join(connection.first, connection.second)

    def of(self, label: str) -> str:
        """Return the name of a body's group: `GROUND`, or the label of one of its bodies."""
        while (parent := self._parents.get(label, label)) != label:
            label = parent
        return label

    def same(self, first: str, second: str) -> bool:
        """Tell whether two bodies are one."""
        return self.of(first) == self.of(second)

    def join(self, first: str, second: str) -> bool:
        """Make two groups one; False if they already were."""
        one, other = self.of(first), self.of(second)
        if one == other:
            return False
        loose, kept = (one, other) if other == GROUND else (other, one)
        self._parents[loose] = kept
        return True


@dataclass(frozen=True)
class Machine:
    """Bodies, and what is said to join and move them. The rules judge `mechanism`."""

    bodies: Mapping[str, Block]
    """Of design and environment, by label."""
    mechanism: Mechanism
    """What is judged."""
    surroundings: Mechanism | None = None
    """The environment's mechanism where a design is judged; None where the environment itself is."""

    @cached_property
    def groups(self) -> RigidGroups:
        """What is one."""
        fixed = (label for label, body in self.bodies.items() if isinstance(body, Fixture) and body.is_fixed)
        return RigidGroups(fixed, self.whole.connections)

    @cached_property
    def whole(self) -> Mechanism:
        """All of it, the surroundings' first."""
        there, own = self.surroundings or Mechanism(), self.mechanism
        return Mechanism(
            joints=(*there.joints, *own.joints),
            connections=(*there.connections, *own.connections),
            motors=(*there.motors, *own.motors),
            couplings=(*there.couplings, *own.couplings),
        )

    def refuses(self, label: str) -> bool:
        """Tell whether a body is the environment's and the benchmark lets nobody mount anything on it."""
        body = self.bodies[label]
        return self.surroundings is not None and isinstance(body, Fixture) and not body.is_mountable
