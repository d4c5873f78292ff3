"""Tables of a machine's parts and loads, as texts."""

from dataclasses import dataclass

from contracts.models.design import BillOfMaterials
from contracts.models.simulation import SimulationResult
from contracts.text import spaced
from viewer.data import ShownPart, load_text, motor_text, part_text


@dataclass(frozen=True)
class PartRow:
    """One part of the machine, made or bought."""

    label: str
    is_selectable: bool
    """Whether the viewer has a part of this label."""
    made_by: str
    material: str
    count: int
    mass_g: float
    price_usd: float
    load_ratio: float | None
    notes: str = ""


@dataclass(frozen=True)
class LoadRow:
    """The load of one part, connection, joint or motor."""

    label: str
    what: str
    text: str
    ratio: float | None


def part_rows(bill: BillOfMaterials | None, shown: tuple[ShownPart, ...]) -> list[PartRow]:
    """Return every line of the bill; without one, the parts of the scene."""
    parts = {part.label: part for part in shown}
    if bill is None:
        return [PartRow(each.label, True, "", "", 1, each.mass_g or 0.0, 0.0, each.load_ratio) for each in shown]
    made = [
        PartRow(
            line.label,
            line.label in parts,
            spaced(line.method),
            line.material_id,
            1,
            line.mass_kg * 1000,
            line.unit_price_usd,
            parts[line.label].load_ratio if line.label in parts else None,
            "; ".join(
                [
                    *([f"1 of {len(alike)} equal ones"] if len(alike) > 1 else []),
                    *(() if line.breakdown is None else line.breakdown.notes),
                ]
            ),
        )
        for alike in bill.kinds
        for line in alike
    ]
    bought = [
        PartRow(line.what, False, "bought", line.catalog_id, line.count, line.mass_kg * 1000, line.unit_price_usd, None)
        for line in bill.hardware
    ]
    return [*made, *bought]


def load_rows(result: SimulationResult | None) -> list[LoadRow]:
    """Return all loads, the greatest share of a limit first."""
    if result is None:
        return []
    rows = [LoadRow(each.label, "part", part_text(each), each.load_ratio) for each in result.parts]
    rows += [LoadRow(each.label, "connection or joint", load_text(each), each.load_ratio) for each in result.loads]
    rows += [
        LoadRow(each.label, "motor", motor_text(each), each.peak_torque_n_m / each.stall_torque_n_m)
        for each in result.motors
    ]
    return sorted(rows, key=lambda row: -(row.ratio or 0.0))
