"""A submitted design: its bill of materials, findings, delivery and review evidence."""

from typing import Annotated, Literal, NewType
from uuid import UUID

from pydantic import (
    AfterValidator,
    FiniteFloat,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    StringConstraints,
    TypeAdapter,
)

from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.geometry import Box, Vector
from contracts.models.label import PartLabel
from contracts.models.simulation import Media

_LABELS = TypeAdapter(tuple[PartLabel, ...])

_PACKAGE_ID = StringConstraints(pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$", max_length=60)
PackageMethod = NewType("PackageMethod", str)
"""A method that another package adds, such as `acme.waterjet`."""
PackageRule = NewType("PackageRule", str)
"""A rule of such a method, such as `acme.thin_web`."""
BuiltInMethod = Literal["cnc", "3d_printing", "injection_molding", "turning", "sheet_metal"]
Method = BuiltInMethod | Annotated[PackageMethod, _PACKAGE_ID]
"""Manufacturing method of a part."""


class PriceBreakdown(Model):
    """Estimated price of one piece, by its components."""

    material_usd: NonNegativeFloat
    machine_usd: NonNegativeFloat
    """Machine and labour costs, by the time they take."""
    setup_usd: NonNegativeFloat
    """Programming, fixtures and set-ups, divided by the quantity."""
    tooling_usd: NonNegativeFloat = 0.0
    """The mould, divided by the quantity."""
    margin_usd: NonNegativeFloat = 0.0
    unit_price_usd: NonNegativeFloat
    machine_min: NonNegativeFloat
    """Machine time of one piece."""
    setups: NonNegativeInt = 0
    notes: tuple[str, ...] = ()
    """The main causes of a high price, in a few words each."""


class BillLine(Model):
    """One made part of the machine."""

    label: PartLabel
    method: Method
    material_id: str
    volume_mm3: PositiveFloat
    mass_kg: PositiveFloat
    unit_price_usd: NonNegativeFloat
    """Price of one piece; of several equal parts, in an order of all of them."""
    breakdown: PriceBreakdown | None = None
    box: Box
    kind: PartLabel | None = None
    """Label of the first of several equal parts; None: there is no other."""


class HardwareLine(Model):
    """Bought parts of one kind: motors, fasteners, bearings or glue."""

    catalog_id: str
    what: str
    """Description in prose."""
    count: PositiveInt
    mass_kg: NonNegativeFloat
    unit_price_usd: NonNegativeFloat
    """Price of one piece; `mass_kg` is also that of one piece."""
    is_part: bool = False
    """Whether each piece counts as a part of the machine, as motors do; screws and glue do not."""


class BillOfMaterials(Model):
    """All parts with their total price and mass."""

    lines: tuple[BillLine, ...]
    hardware: tuple[HardwareLine, ...] = ()
    supplied: tuple[HardwareLine, ...] = ()
    """Power and control that the benchmark supplies, at what they would cost: in no total."""
    quantity: PositiveInt
    unit_price_usd: NonNegativeFloat
    """Price of one machine at this quantity."""
    mass_kg: NonNegativeFloat

    @property
    def supplied_usd(self) -> float:
        """What the power and control that the benchmark supplies would cost."""
        return sum(line.count * line.unit_price_usd for line in self.supplied)

    @property
    def part_count(self) -> int:
        """Number of parts of the machine, made and bought."""
        return len(self.lines) + sum(line.count for line in self.hardware if line.is_part)

    @property
    def kinds(self) -> list[tuple[BillLine, ...]]:
        """The made parts, equal ones together."""
        found: dict[str, list[BillLine]] = {}
        for line in self.lines:
            found.setdefault(line.kind or line.label, []).append(line)
        return [tuple(each) for each in found.values()]


BuiltInWorkbenchRule = Literal[
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
    "turn_too_large",
    "turn_slender",
    "turn_not_round",
    "turn_unreachable",
    "turn_groove",
    "turn_bore",
    "turn_hole",
    "turn_thin_wall",
    "turn_neck",
    "turn_corner",
    "turn_live_tooling",
    "turn_thread",
    "sheet_too_large",
    "sheet_thickness",
    "sheet_stock",
    "sheet_cut",
    "sheet_bend_radius",
    "sheet_flange",
    "sheet_unfold",
    "sheet_hole",
    "sheet_edge",
    "sheet_hole_to_bend",
    "sheet_slot",
]
WorkbenchRule = BuiltInWorkbenchRule | Annotated[PackageRule, _PACKAGE_ID]
"""Rules of the workbenches about a single part."""


class Finding(Model):
    """One problem of a design, with its location."""

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
            "not_assemblable",
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
            "unbondable",
            "invalid_motor",
            "invalid_coupling",
            "over_constrained",
            "unknown_component",
            "open_todo_item",
            "missing_journal_entry",
            "malformed_document",
        ]
    )
    label: str = ""
    """Label of the part."""
    detail: str
    """Measured value, limit, location and advice, in one sentence."""
    severity: Literal["error", "warning", "info"] = "error"
    """An error must be fixed; a warning costs money or quality; an info is only informative."""
    face: NonNegativeInt | None = None
    """Index of the face in `part.faces()`."""
    place_mm: Vector | None = None
    measured: FiniteFloat | None = None
    limit: FiniteFloat | None = None
    unit: Literal["mm", "mm2", "mm3", "deg", "mm/mm", "count", ""] = ""


class DeliveredDocuments(Model):
    """Plan, TODO list and journal of an accepted design, with what is counted in them."""

    plan: ArtifactRef
    todo: ArtifactRef
    journal: ArtifactRef
    items: NonNegativeInt
    """Of the TODO list."""
    items_done: NonNegativeInt
    items_dropped: NonNegativeInt
    entries: NonNegativeInt
    """Of the journal, those of earlier attempts included."""

    @property
    def summary(self) -> str:
        """One line for panel and report."""
        dropped = f", {self.items_dropped} dropped" if self.items_dropped else ""
        return f"TODO {self.items_done} of {self.items} done{dropped}; journal {self.entries} entries"


def _require_labels(steps: dict[str, ArtifactRef]) -> dict[str, ArtifactRef]:
    """The names become names of files."""
    _LABELS.validate_python(tuple(steps))
    return steps


PartSteps = Annotated[dict[str, ArtifactRef], AfterValidator(_require_labels)]
"""STEP file of each part, by label."""


class Delivery(Model):
    """The files that a user receives."""

    script: ArtifactRef
    """Zip of the files in the workspace."""
    digest: Sha256
    step: ArtifactRef
    """The assembly."""
    part_steps: PartSteps
    """STEP file of each part, by label."""
    glb: ArtifactRef
    """The assembly at rest."""
    build: ArtifactRef | None = None
    """Zip of the build package, by which a workshop makes the machine; None in logs older than this field."""
    build_problem: str = ""
    """The reason why a valid design has no build package."""
    scene: ArtifactRef | None = None
    """The simulated `Scene` as JSON."""
    documents: DeliveredDocuments | None = None
    """None only in logs older than this field."""
    media: Media | None = None
    """Media of the judged simulation, made when the design is approved."""
    media_problem: str = ""
    """The reason why an approved design has no media."""


class Evidence(Model):
    """A variable of the critic's kernel on which its verdict rests."""

    cell_id: UUID
    """The CellCompleted that contains it."""
    name: str
    summary: str
    """Its value as shown in the observation."""
    fingerprint: str
