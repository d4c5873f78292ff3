"""Blocks of a page: facts, texts, pictures, and tables. Each kind has a template of its name in `templates/blocks`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from contracts.event_line import result_text
from contracts.models.artifact import ArtifactRef
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.simulation import PhysicalEvent, SimulationResult
from viewer.drawings import WorldDrawing


@dataclass(frozen=True)
class FactBlock:
    """Short values with their names."""

    kind: ClassVar = "facts"
    facts: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class TextBlock:
    """A text of a model, a kernel or a user."""

    kind: ClassVar = "text"
    title: str
    text: str
    form: Literal["code", "prose"] = "prose"


@dataclass(frozen=True)
class PictureBlock:
    """A picture with its caption."""

    kind: ClassVar = "picture"
    caption: str
    artifact: ArtifactRef

    @property
    def is_video(self) -> bool:
        """Whether it moves."""
        return self.artifact.media_type.startswith("video/")


@dataclass(frozen=True)
class ClipBlock:
    """A film in short, for sharing. It moves without an end, so that it is shown on request alone."""

    kind: ClassVar = "clip"
    artifact: ArtifactRef


@dataclass(frozen=True)
class FindingBlock:
    """What is wrong with a design."""

    kind: ClassVar = "findings"
    findings: Sequence[Finding]


@dataclass(frozen=True)
class MomentBlock:
    """What happened in a simulation, and when: each can be shown beside the timeline."""

    kind: ClassVar = "moments"
    moments: Sequence[PhysicalEvent]


@dataclass(frozen=True)
class TableBlock:
    """A table. The first column names a part, if `is_of_parts`."""

    kind: ClassVar = "table"
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    is_of_parts: bool = False


@dataclass(frozen=True)
class GalleryBlock:
    """Pictures or films beside each other."""

    kind: ClassVar = "gallery"
    title: str
    pictures: Sequence[PictureBlock]


@dataclass(frozen=True)
class DrawingBlock:
    """A world from several sides."""

    kind: ClassVar = "drawings"
    title: str
    drawings: Sequence[WorldDrawing]


Block = (
    FactBlock
    | TextBlock
    | PictureBlock
    | ClipBlock
    | FindingBlock
    | MomentBlock
    | TableBlock
    | GalleryBlock
    | DrawingBlock
)


def result_blocks(result: SimulationResult) -> list[Block]:
    """Return a verdict, its moments and its loads."""
    blocks: list[Block] = [FactBlock([("verdict", result_text(result))]), TextBlock("Course", result.summary_md)]
    if result.events:
        blocks.append(MomentBlock(result.events))
    return blocks + load_blocks(result)


def load_blocks(result: SimulationResult) -> list[Block]:
    """Return the loads of parts, connections and motors against what they bear, the highest first."""
    tables = (_part_loads(result), _connection_loads(result), _motor_loads(result))
    return [table for table in tables if table.rows]


def _part_loads(result: SimulationResult) -> TableBlock:
    columns = ("part", "material", "stress MPa", "of", "deflection mm", "of", "use")
    rows = [
        (
            each.label,
            each.material_id,
            f"{each.peak_stress_mpa:.2f}",
            f"{each.max_stress_mpa:.1f}",
            f"{each.peak_deflection_mm:.3f}",
            f"{each.max_deflection_mm:.2f}",
            f"{each.load_ratio:.0%}",
        )
        for each in sorted(result.parts, key=lambda part: -part.load_ratio)
    ]
    return TableBlock("Loads of parts", columns, rows, is_of_parts=True)


def _connection_loads(result: SimulationResult) -> TableBlock:
    columns = ("connection", "force N", "of", "moment N m", "of", "use")
    rows = [
        (
            each.label,
            f"{each.peak_force_n:.2f}",
            _limit(each.max_force_n),
            f"{each.peak_moment_n_m:.3f}",
            _limit(each.max_moment_n_m),
            "" if each.load_ratio is None else f"{each.load_ratio:.0%}",
        )
        for each in sorted(result.loads, key=lambda load: -(load.load_ratio or 0.0))
    ]
    return TableBlock("Loads of connections", columns, rows)


def _motor_loads(result: SimulationResult) -> TableBlock:
    columns = ("motor", "torque N m", "stall at", "power W", "overload s")
    rows = [
        (
            each.label,
            f"{each.peak_torque_n_m:.3f}",
            f"{each.stall_torque_n_m:.3f}",
            f"{each.peak_power_w:.2f}",
            f"{each.longest_overload_s:.2f}",
        )
        for each in result.motors
    ]
    return TableBlock("Motors", columns, rows, is_of_parts=True)


def bill_blocks(bill: BillOfMaterials) -> list[Block]:
    """Return parts with their prices, the most expensive first."""
    made = [
        (
            each.label,
            f"{each.method.replace('_', ' ')}, {each.material_id}"
            + (f", 1 of {len(alike)} equal ones" if len(alike) > 1 else ""),
            "1",
            f"{each.mass_kg * 1000:.1f}",
            each.unit_price_usd,
        )
        for alike in bill.kinds
        for each in alike
    ]
    bought = [
        (
            each.catalog_id,
            each.what,
            str(each.count),
            f"{each.mass_kg * each.count * 1000:.1f}",
            each.unit_price_usd * each.count,
        )
        for each in bill.hardware
    ]
    ordered = sorted((*made, *bought), key=lambda row: -row[-1])
    rows = [(*row[:-1], f"{row[-1]:.2f}") for row in ordered]
    total = f"Parts and prices: {bill.unit_price_usd:.2f} USD, {bill.mass_kg:.3f} kg, at {bill.quantity} pieces"
    return [TableBlock(total, ("part", "what", "count", "mass g", "price USD"), rows, is_of_parts=True)]


def _limit(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"
