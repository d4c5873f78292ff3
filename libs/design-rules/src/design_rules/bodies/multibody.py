"""Multibody systems: bodies, the connections, joints and motors between them, and the rigid groups that they form."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from contracts.models.mechanism import Connection, Mechanism

from design_rules.bodies.distances import GlueContact, glue_contact
from design_rules.bodies.solid_bodies import EnvironmentSolid, SolidBody

FIXED_GROUP = ""
"""The group of all bodies that never move; no body has this label."""


class RigidGroups:
    """Groups of bodies that cannot move against each other: fixed ones, and those joined by connections."""

    def __init__(self, fixed: Iterable[str], connections: Iterable[Connection]) -> None:
        self._parents: dict[str, str] = dict.fromkeys(fixed, FIXED_GROUP)
        for connection in connections:
            self._merge(connection.first, connection.second)

    def group_of(self, label: str) -> str:
        """Return the name of a body's group: `FIXED_GROUP`, or the label of one of its bodies."""
        while (parent := self._parents.get(label, label)) != label:
            label = parent
        return label

    def are_rigid(self, first: str, second: str) -> bool:
        """Tell whether two bodies are in the same group."""
        return self.group_of(first) == self.group_of(second)

    def _merge(self, first: str, second: str) -> None:
        one, other = self.group_of(first), self.group_of(second)
        if one == other:
            return
        child, root = (one, other) if other == FIXED_GROUP else (other, one)
        self._parents[child] = root


@dataclass(frozen=True)
class MultibodySystem:
    """Bodies and the mechanism that joins and moves them."""

    bodies: Mapping[str, SolidBody]
    """Of design and environment, by label."""
    mechanism: Mechanism
    """The mechanism that the rules check."""
    environment_mechanism: Mechanism | None = None
    """The environment's mechanism where a design is checked; None where the environment itself is."""

    @cached_property
    def groups(self) -> RigidGroups:
        """The bodies that move as one."""
        fixed = (label for label, body in self.bodies.items() if isinstance(body, EnvironmentSolid) and body.is_fixed)
        return RigidGroups(fixed, (*self.whole_mechanism.connections, *self.shaft_fits))

    @cached_property
    def shaft_fits(self) -> tuple[Connection, ...]:
        """The seats of pinions on the shafts of their motors, with which they move."""
        seats = ((motor.part, motor.pinion) for motor in self.whole_mechanism.motors)
        return tuple(
            Connection(first=part, second=pinion, means="fastened")
            for part, pinion in seats
            if pinion is not None and pinion != part and {part, pinion} <= set(self.bodies)
        )

    @cached_property
    def whole_mechanism(self) -> Mechanism:
        """Both mechanisms, the environment's first."""
        theirs, own = self.environment_mechanism or Mechanism(), self.mechanism
        return Mechanism(
            joints=(*theirs.joints, *own.joints),
            connections=(*theirs.connections, *own.connections),
            motors=(*theirs.motors, *own.motors),
            couplings=(*theirs.couplings, *own.couplings),
        )

    @cached_property
    def numbered_connections(self) -> tuple[tuple[int, Connection], ...]:
        """All connections, numbered from 1; of the bonds of one pair the first, since they share one layer of glue."""
        found: dict[object, tuple[int, Connection]] = {}
        for number, connection in enumerate(self.whole_mechanism.connections, start=1):
            pair = frozenset((connection.first, connection.second))
            found.setdefault(pair if connection.means == "bonded" else number, (number, connection))
        return tuple(found.values())

    def glue_contact(self, first: str, second: str) -> GlueContact:
        """Return the area over which two bodies can be glued; it is measured once, for the rules and the scene."""
        if (first, second) not in self._contacts:
            self._contacts[first, second] = glue_contact(self.bodies[first], self.bodies[second])
        return self._contacts[first, second]

    @cached_property
    def _contacts(self) -> dict[tuple[str, str], GlueContact]:
        return {}

    def forbids_mounting_on(self, label: str) -> bool:
        """Tell whether a body belongs to the environment and the benchmark allows no mounting on it."""
        body = self.bodies[label]
        is_design = self.environment_mechanism is not None
        return is_design and isinstance(body, EnvironmentSolid) and not body.is_mountable
