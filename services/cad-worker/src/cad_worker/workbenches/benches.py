"""All workbenches, by their method."""

from contracts.design import BillLine, Finding, Method
from contracts.geometry import Box
from kernel.pricing import mass_kg

from cad_worker.workbenches.cnc.bench import CncBench
from cad_worker.workbenches.interface import Order, Workbench
from cad_worker.workbenches.moulding.bench import MouldingBench
from cad_worker.workbenches.part_mesh import PartMesh
from cad_worker.workbenches.printing.bench import PrintingBench

BENCHES: dict[Method, Workbench] = {bench.method: bench for bench in (CncBench(), PrintingBench(), MouldingBench())}
"""Every workbench."""


def made(part: PartMesh, method: Method, order: Order) -> tuple[Finding, ...]:
    """Return what a workbench has to say of a part; the material must suit the method."""
    return BENCHES[method].findings(part, order)


def bill_line(part: PartMesh, method: Method, order: Order, around: Box) -> BillLine:
    """Return what a part weighs and costs."""
    volume_mm3 = part.solid.volume
    breakdown = BENCHES[method].price(part, order)
    return BillLine(
        label=order.label,
        method=method,
        material_id=order.material.id,
        volume_mm3=volume_mm3,
        mass_kg=mass_kg(volume_mm3, order.material.id),
        unit_price_usd=breakdown.unit_price_usd,
        breakdown=breakdown,
        box=around,
    )
