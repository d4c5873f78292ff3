"""The workbenches' price law as a table: what each method costs, and the largest part that its machines make."""

from collections.abc import Iterator

from contracts.models.benchmark import Assignment
from contracts.models.design import Method
from documents.markdown import table
from parts_catalog.materials import MATERIALS, Material
from parts_catalog.methods.workshop_figures import FILAMENT_RATES, FILAMENT_RULES, POWDER_RULES, PrintRules
from parts_catalog.pricing.estimate import PartEstimate, estimate_part
from parts_catalog.pricing.order import Edges, Order
from parts_catalog.pricing.print_prices import is_powder
from parts_catalog.strength import max_stress_mpa

from agent.rendering.assignment import material_rows

QUANTITY: int = Assignment.model_fields["quantity"].default
"""The prices of the table are those of this many machines."""
_SMALL: tuple[Edges, Edges] = ((150.0, 60.0, 3.0), (150.0, 16.0, 16.0))
"""A panel and a post that every machine holds."""
_PER_SIZE = 0.8
"""Share of the longest edge of a machine that the panel and the post for it have."""


def price_law_markdown() -> str:
    """Return the quantity, the machines by size, and one row for each material and method."""
    setup_usd = FILAMENT_RATES.margin * (FILAMENT_RATES.handling_usd + FILAMENT_RATES.setup_usd / QUANTITY)
    header = ("material_id", "method", "3 mm panel (USD/g)", "16 mm post (USD/g)")
    return "\n\n".join(
        [
            f"At {QUANTITY} machines. A printed piece costs {setup_usd:.2f} USD before any filament. Of two figures in "
            "a cell the second is that of the larger machine, which makes what the smaller one does not hold.",
            "\n".join(["Largest part of a machine:", "", *_machine_lines()]),
            table(header, _rows()),
        ]
    )


def material_prices_markdown() -> str:
    """Return materials and price law in one table: a row for each method, the material's own figures in its first."""
    law, _, _ = price_law_markdown().rpartition("\n\n")
    header = ("material_id", "kg/m3", "friction", "glue", "method", "MPa", "panel", "post")
    (_, _, panel_mm), (_, *post_mm) = _SMALL
    columns = (
        "Columns: density, friction (two surfaces have the geometric mean of theirs; the environment's is 0.4), "
        "strength of glue in N/mm2, and by method the stress limit in "
        f"bending and the USD per gram of a panel of {panel_mm:g} mm and a post of {post_mm[0]:g} x {post_mm[1]:g} mm."
    )
    return "\n\n".join([columns, table(header, _material_rows()), law])


def _material_rows() -> Iterator[tuple[str, ...]]:
    figures = {material_id: own for material_id, *own, _ in material_rows()}
    for material_id, method, *prices in _rows():
        own = figures.pop(material_id, None)
        stress = f"{max_stress_mpa(MATERIALS[material_id], method):.0f}"
        yield (material_id, *own, method, stress, *prices) if own else ("", "", "", "", method, stress, *prices)


def _machine_lines() -> Iterator[str]:
    """Yield the largest parts of each method, with the materials that machines of these sizes take."""
    materials: dict[tuple[Method, tuple[Edges, ...]], list[str]] = {}
    for material in MATERIALS.values():
        for method in material.methods:
            materials.setdefault((method, _machines(method, material)), []).append(material.id)
    for (method, machines), ids in materials.items():
        sizes = ", larger machine ".join(" x ".join(f"{edge:g}" for edge in size) for size in machines)
        yield f"- {method} in {', '.join(ids)}: {sizes} mm"


def _rows() -> Iterator[tuple[str, Method, str, str]]:
    for material in MATERIALS.values():
        for method in material.methods:
            costs = [_costs(method, material, machine_mm) for machine_mm in _machines(method, material)]
            panels, posts = zip(*costs, strict=True)
            yield (material.id, method, ", ".join(panels), ", ".join(posts))


def _machines(method: Method, material: Material) -> tuple[Edges, ...]:
    """Return the largest parts of the machines that can make this material, smallest first."""
    if method == "3d_printing":
        rules: PrintRules = POWDER_RULES if is_powder(material) else FILAMENT_RULES
        return tuple(printer.build_volume_mm for printer in rules.printers)
    return (_estimate(method, material, _SMALL[0]).machine_mm,)


def _costs(method: Method, material: Material, machine_mm: Edges) -> tuple[str, str]:
    """Return USD per gram of a panel and a post that are long for this machine."""
    length = _PER_SIZE * max(machine_mm)
    panel, post = (_per_gram(method, material, (length, *size[1:])) for size in _SMALL)
    return panel, post


def _per_gram(method: Method, material: Material, size_mm: Edges) -> str:
    estimate = _estimate(method, material, size_mm)
    return f"{estimate.unit_price_usd / estimate.mass_g:.2f}"


def _estimate(method: Method, material: Material, size_mm: Edges) -> PartEstimate:
    return estimate_part(Order(material=material, quantity=QUANTITY), method, size_mm)
