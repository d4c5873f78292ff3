"""Solids with a name and exact measures: what all rules, scenes and exports work on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from build123d import Solid
from contracts.models.design import Method
from contracts.models.geometry import Box
from contracts.models.mechanism import Mechanism
from geometry.boxes import OrientedBox, recognise_box
from geometry.digest import canonical_text, digest_of_lines
from geometry.occt.brep import read_brep
from geometry.occt.measures import bounding_box
from parts_catalog.materials import MATERIALS, Material
from workbenches.configuration import ToleranceClass
from workbenches.part_mesh import PartMesh

from cad_worker.job_protocol import EnvironmentGeometry, solid_source


class EnvironmentChangedError(ValueError):
    """An environment's geometry is not what its digest says."""


@dataclass(frozen=True, eq=False)
class Block:
    """One valid solid with a name: a part or a piece of the environment."""

    label: str
    solid: Solid
    material: Material | None = None
    """What it is made of; None where that is open, where it is bought, or where it never moves."""
    catalog_id: str | None = None
    """Of what is bought: it is neither made nor of one material."""
    source: str = ""
    """Digest of the bytes that it was read from: what was computed from these is known by it."""

    @cached_property
    def box(self) -> OrientedBox | None:
        """The box that it is, where it is one: boxes are told apart fast and exactly."""
        return recognise_box(self.solid)

    @cached_property
    def around(self) -> Box:
        """The tightest axis-aligned box around it; `ValueError` for a solid without finite extents."""
        if self.box is not None:
            return self.box.bounds
        found = bounding_box(self.solid)
        if found is None:
            raise ValueError(f"{self.label} has no finite extents; build it anew")
        return found

    @property
    def volume_mm3(self) -> float:
        """Exact volume."""
        return self.solid.volume if self.box is None else self.box.volume_mm3


@dataclass(frozen=True, eq=False)
class Fixture(Block):
    """One solid of the environment. Without material and catalog id it is fixed for ever."""

    is_mountable: bool = True

    @property
    def is_fixed(self) -> bool:
        """Whether it is the ground, or as good as that."""
        return self.material is None and self.catalog_id is None


@dataclass(frozen=True, eq=False)
class Part(Block):
    """One solid of a design."""

    method: Method | None = None
    """How it is made; None where there is a finding about it, or where it is bought."""
    tolerance_class: ToleranceClass = "medium"

    @cached_property
    def mesh(self) -> PartMesh:
        """The part as workbenches look at it."""
        return PartMesh.of(self.solid)


def environment_digest(fixtures: Sequence[Fixture], mechanism: Mechanism) -> str:
    """Return the digest of labelled solids, what they are made of and what moves them."""
    words = [_words(fixture) for fixture in fixtures]
    if mechanism != Mechanism():
        words.append(mechanism.model_dump_json())
    return digest_of_lines(words)


def _words(fixture: Fixture) -> str:
    words = [fixture.label, canonical_text(fixture.solid)]
    if fixture.material is not None:
        words.append(f"of {fixture.material.id}")
    if fixture.catalog_id is not None:
        words.append(f"bought as {fixture.catalog_id}")
    if not fixture.is_mountable:
        words.append("not mountable")
    return " ".join(words)


def read_environment(geometry: EnvironmentGeometry) -> tuple[Fixture, ...]:
    """Return the benchmark's own solids; raise `EnvironmentChangedError` if they are not what the digest says."""
    solids = read_brep(geometry.brep).solids
    if len(solids) != len(geometry.solids):
        raise EnvironmentChangedError(_CHANGED)
    unknown = [words.material_id for words in geometry.solids if words.material_id not in (None, *MATERIALS)]
    if unknown:
        raise EnvironmentChangedError(f"the environment is of {unknown[0]}, which is not known; {_CHANGED}")
    fixtures = tuple(
        Fixture(
            words.label,
            solid,
            MATERIALS.get(words.material_id or ""),
            words.catalog_id,
            solid_source(geometry.brep, number),
            words.is_mountable,
        )
        for number, (words, solid) in enumerate(zip(geometry.solids, solids, strict=True))
    )
    if environment_digest(fixtures, geometry.mechanism) != geometry.digest:
        raise EnvironmentChangedError(_CHANGED)
    return fixtures


_CHANGED = "the environment's geometry differs from its digest; build the benchmark again"
