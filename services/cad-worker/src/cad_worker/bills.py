"""From parts to a bill of materials."""

from collections.abc import Sequence

from contracts.design import BillLine, BillOfMaterials
from kernel.pricing import mass_kg, unit_price_usd

from cad_worker.bodies import Part


def bill_of(parts: Sequence[Part], quantity: int) -> BillOfMaterials | None:
    """Return the bill, or None if there is a part whose method or material is open."""
    lines = [line for line in (_line(part, quantity) for part in parts) if line is not None]
    if len(lines) < len(parts):
        return None
    return BillOfMaterials(
        lines=tuple(lines),
        quantity=quantity,
        unit_price_usd=sum(line.unit_price_usd for line in lines),
        mass_kg=sum(line.mass_kg for line in lines),
    )


def _line(part: Part, quantity: int) -> BillLine | None:
    if part.method is None or part.material is None:
        return None
    return BillLine(
        label=part.label,
        method=part.method,
        material_id=part.material.id,
        volume_mm3=part.volume_mm3,
        mass_kg=mass_kg(part.volume_mm3, part.material.id),
        unit_price_usd=unit_price_usd(part.volume_mm3, part.method, part.material.id, quantity),
        box=part.around,
    )
