"""Named solids with exact measures, which all rules, scenes and exports work on."""

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
from parts_catalog.methods.workshop_figures import ToleranceClass

from design_rules.design_data import EnvironmentGeometry, solid_source


class EnvironmentChangedError(ValueError):
    """An environment's geometry does not match its digest."""


@dataclass(frozen=True, eq=False)
class SolidBody:
    """One valid solid with a name: a part or a solid of the environment."""

    label: str
    solid: Solid
    material: Material | None = None
    """None if it is invalid, bought, or never moves."""
    catalog_id: str | None = None
    """Of a bought body, which has no method and no material."""
    source: str = ""
    """Digest of the bytes that the solid was read from: the key of everything computed from it."""

    @cached_property
    def box(self) -> OrientedBox | None:
        """The box that the solid is, if it is one: boxes are compared fast and exactly."""
        return recognise_box(self.solid)

    @cached_property
    def bounds(self) -> Box:
        """The tightest axis-aligned bounding box; `ValueError` for a solid without finite extents."""
        if self.box is not None:
            return self.box.bounds
        bounds = bounding_box(self.solid)
        if bounds is None:
            raise ValueError(f"{self.label} has no finite extents; rebuild it")
        return bounds

    @property
    def volume_mm3(self) -> float:
        """Exact volume."""
        return self.solid.volume if self.box is None else self.box.volume_mm3


@dataclass(frozen=True, eq=False)
class EnvironmentSolid(SolidBody):
    """One solid of the environment. Without material and catalog id it never moves."""

    is_mountable: bool = True
    is_loose: bool = False
    is_moving: bool = False
    """Whether a loose one may move from the start."""

    @property
    def is_fixed(self) -> bool:
        """Whether it belongs to the ground."""
        return self.material is None and self.catalog_id is None


@dataclass(frozen=True, eq=False)
class Part(SolidBody):
    """One solid of a design."""

    method: Method | None = None
    """None if it is invalid, which has a finding of its own, or if the part is bought."""
    tolerance_class: ToleranceClass = "medium"


def environment_digest(solids: Sequence[EnvironmentSolid], mechanism: Mechanism) -> str:
    """Return the digest of labelled solids, their materials and their mechanism."""
    lines = [_digest_line(solid) for solid in solids]
    if mechanism != Mechanism():
        lines.append(mechanism.model_dump_json())
    return digest_of_lines(lines)


def _digest_line(body: EnvironmentSolid) -> str:
    words = [body.label, canonical_text(body.solid)]
    if body.material is not None:
        words.append(f"of {body.material.id}")
    if body.catalog_id is not None:
        words.append(f"bought as {body.catalog_id}")
    if not body.is_mountable:
        words.append("not mountable")
    if body.is_loose:
        words.append("loose")
    if body.is_moving:
        words.append("moving")
    return " ".join(words)


def read_environment(geometry: EnvironmentGeometry) -> tuple[EnvironmentSolid, ...]:
    """Return the benchmark's own solids; raise `EnvironmentChangedError` if they do not match the digest."""
    solids = read_brep(geometry.brep).solids
    if len(solids) != len(geometry.solids):
        raise EnvironmentChangedError(_CHANGED)
    unknown = [row.material_id for row in geometry.solids if row.material_id not in (None, *MATERIALS)]
    if unknown:
        raise EnvironmentChangedError(f"the environment has the unknown material {unknown[0]!r}; {_CHANGED}")
    bodies = tuple(
        EnvironmentSolid(
            row.label,
            solid,
            MATERIALS.get(row.material_id or ""),
            row.catalog_id,
            solid_source(geometry.brep, number),
            row.is_mountable,
            row.is_loose,
            row.is_moving,
        )
        for number, (row, solid) in enumerate(zip(geometry.solids, solids, strict=True))
    )
    if environment_digest(bodies, geometry.mechanism) != geometry.digest:
        raise EnvironmentChangedError(_CHANGED)
    return bodies


_CHANGED = "the environment's geometry differs from its digest; build the benchmark again"
