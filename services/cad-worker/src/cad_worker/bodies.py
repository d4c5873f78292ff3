"""Solids with a name and exact measures: what all rules, scenes and exports work on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from build123d import Solid
from contracts.design import Method
from contracts.geometry import Box
from kernel.materials import Material

from cad_worker.exchange import EnvironmentGeometry
from cad_worker.geometry.boxes import OrientedBox, recognise_box
from cad_worker.geometry.canonical import digest_of_words, solid_words
from cad_worker.geometry.occt import read_brep


class EnvironmentChangedError(ValueError):
    """An environment's geometry is not what its digest says."""


@dataclass(frozen=True, eq=False)
class Block:
    """A solid box with a name: a part or a piece of the environment."""

    label: str
    solid: Solid
    box: OrientedBox


@dataclass(frozen=True, eq=False)
class Part:
    """One solid of a design as far as it could be understood. None means that there is a finding about it."""

    label: str
    solid: Solid
    box: OrientedBox | None
    method: Method | None
    material: Material | None

    @cached_property
    def around(self) -> Box:
        """The axis-aligned box around it."""
        if self.box is not None:
            return self.box.around
        bounds = self.solid.bounding_box()
        low, high = bounds.min, bounds.max
        return Box(min_mm=(low.X, low.Y, low.Z), max_mm=(high.X, high.Y, high.Z))

    @property
    def volume_mm3(self) -> float:
        """Exact volume."""
        return self.solid.volume if self.box is None else self.box.volume_mm3

    @property
    def block(self) -> Block | None:
        """The part as a box, if it is one."""
        return None if self.box is None else Block(self.label, self.solid, self.box)


def environment_digest(labels: Sequence[str], solids: Sequence[Solid]) -> str:
    """Return the digest of labelled solids."""
    return digest_of_words([f"{label} {solid_words(solid)}" for label, solid in zip(labels, solids, strict=True)])


def read_environment(geometry: EnvironmentGeometry) -> tuple[Block, ...]:
    """Return the benchmark's own solids; raise `EnvironmentChangedError` if they are not what the digest says."""
    solids = read_brep(geometry.brep).solids
    labels = [solid.label for solid in geometry.solids]
    if len(solids) != len(labels) or environment_digest(labels, solids) != geometry.digest:
        raise EnvironmentChangedError("the environment's geometry differs from its digest; build the benchmark again")
    return tuple(Block(label, solid, _box(label, solid)) for label, solid in zip(labels, solids, strict=True))


def _box(label: str, solid: Solid) -> OrientedBox:
    box = recognise_box(solid)
    if box is None:
        raise EnvironmentChangedError(f"{label} of the environment is no box; build the benchmark again")
    return box
