"""A submitted design: bill of materials, findings, delivery."""

from typing import Literal
from uuid import UUID

from pydantic import FiniteFloat, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.geometry import Box, Vector
from contracts.models.label import Label
from contracts.models.simulation import Media

Method = Literal["cnc", "3d_printing", "injection_molding"]
"""How a part is made."""


class PriceBreakdown(Model):
    """What one piece costs, and why. An estimate."""

    material_usd: NonNegativeFloat
    machine_usd: NonNegativeFloat
    """Machine and labour, by the time it takes."""
    setup_usd: NonNegativeFloat
    """Programming, fixtures and set-ups, shared by the quantity."""
    tooling_usd: NonNegativeFloat = 0.0
    """The mould, shared by the quantity."""
    margin_usd: NonNegativeFloat = 0.0
    unit_price_usd: NonNegativeFloat
    machine_min: NonNegativeFloat
    """Of one piece."""
    setups: NonNegativeInt = 0
    notes: tuple[str, ...] = ()
    """What made it dear, in a few words each."""


class BillLine(Model):
    """One part of the machine."""

    label: Label
    method: Method
    material_id: str
    volume_mm3: PositiveFloat
    mass_kg: PositiveFloat
    unit_price_usd: NonNegativeFloat
    breakdown: PriceBreakdown | None = None
    box: Box


class HardwareLine(Model):
    """What is bought and not made: motors, fasteners, bearings, glue."""

    catalog_id: str
    what: str
    """In words."""
    count: PositiveInt
    mass_kg: NonNegativeFloat
    unit_price_usd: NonNegativeFloat
    """Of one; the mass, too."""
    is_part: bool = False
    """Whether each of them counts as a part of the machine, as motors do and screws and glue do not."""


class BillOfMaterials(Model):
    """All parts, with their sums."""

    lines: tuple[BillLine, ...]
    hardware: tuple[HardwareLine, ...] = ()
    quantity: PositiveInt
    unit_price_usd: NonNegativeFloat
    """Of one whole machine at this quantity."""
    mass_kg: NonNegativeFloat

    @property
    def part_count(self) -> int:
        """How many parts the machine has, made and bought."""
        return len(self.lines) + sum(line.count for line in self.hardware if line.is_part)


WorkbenchRule = Literal[
    "cnc_too_large",
    "cnc_unreachable",
    "cnc_setups",
    "cnc_sharp_corner",
    "cnc_corner_radius",
    "cnc_reach",
    "cnc_thin_wall",
    "cnc_hole",
    "cnc_flat_bottom",
    "print_too_large",
    "print_sealed_void",
    "print_thin_wall",
    "print_overhang",
    "print_bridge",
    "print_small_hole",
    "print_small_feature",
    "mould_too_large",
    "mould_draft",
    "mould_undercut",
    "mould_wall",
    "mould_uniformity",
    "mould_rib",
    "mould_boss",
    "mould_corner",
]
"""What a workbench may have to say of one part."""


class Finding(Model):
    """One thing that is wrong with a design, and where."""

    rule: (
        WorkbenchRule
        | Literal[
            "script_failed",
            "digest_differs",
            "not_a_part",
            "duplicate_label",
            "outside_build_zone",
            "inside_forbid_zone",
            "interference",
            "environment_interference",
            "environment_changed",
            "floating",
            "missing_method",
            "missing_material",
            "unknown_material",
            "unknown_tolerance",
            "unsupported_shape",
            "over_price",
            "over_mass",
            "too_many_parts",
            "empty",
            "not_simulatable",
            "no_collision_geometry",
            "invalid_joint",
            "invalid_connection",
            "invalid_motor",
            "invalid_coupling",
            "over_constrained",
            "unknown_component",
        ]
    )
    label: str = ""
    """The part."""
    detail: str
    """Measured value, limit, place and advice, in one sentence."""
    severity: Literal["error", "warning", "info"] = "error"
    """An error must be mended; a warning costs money or quality; an info is worth knowing."""
    face: NonNegativeInt | None = None
    """Number of the face in `part.faces()`."""
    place_mm: Vector | None = None
    measured: FiniteFloat | None = None
    limit: FiniteFloat | None = None
    unit: Literal["mm", "mm2", "mm3", "deg", "mm/mm", "count", ""] = ""


class Delivery(Model):
    """What a user takes home."""

    script: ArtifactRef
    """Zip of the workspace's files."""
    digest: Sha256
    step: ArtifactRef
    """The assembly."""
    part_steps: dict[str, ArtifactRef]
    """STEP of each part, by label."""
    glb: ArtifactRef
    """Of the assembly at rest."""
    scene: ArtifactRef | None = None
    """JSON of the `Scene` that was simulated."""
    media: Media | None = None
    """Of the verdict's simulation; filmed when the design is approved."""
    media_problem: str = ""
    """Why an approved design has no media."""


class Evidence(Model):
    """A variable of the critic's kernel on which its verdict rests."""

    cell_id: UUID
    """The CellCompleted in which it stands."""
    name: str
    summary: str
    """Its value, as the observation had it."""
    fingerprint: str
