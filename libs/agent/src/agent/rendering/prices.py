"""The workbenches' price law as a table: what each method costs, and the largest part that its machines make."""

from collections.abc import Collection, Iterator

from contracts.models.benchmark import Assignment
from contracts.models.design import Method
from documents.markdown import table
from parts_catalog.adhesive import bond_mpa
from parts_catalog.materials import MATERIALS, Material
from parts_catalog.methods.registry import METHODS
from parts_catalog.methods.workshop_figures import FILAMENT_RATES, FILAMENT_RULES, POWDER_RULES, PrintRules
from parts_catalog.pricing.estimate import PartEstimate, estimate_part
from parts_catalog.pricing.order import Edges, Order
from parts_catalog.pricing.print_prices import is_powder
from parts_catalog.strength import max_stress_mpa

from agent.rendering.tables import number

QUANTITY: int = Assignment.model_fields["quantity"].default
"""The prices of the table are those of this many machines."""
_SMALL: tuple[Edges, Edges] = ((150.0, 60.0, 3.0), (150.0, 16.0, 16.0))
"""A panel and a post that every machine holds."""
_PER_SIZE = 0.8
"""Share of the longest edge of a machine that the panel and the post for it have."""


def materials_markdown(methods: Collection[Method] = ()) -> str:
    """Return materials with strength and prices by method in one table, and the largest parts of the machines.

    `methods`: the only ones; none: all.
    """
    shown = methods or tuple(METHODS)
    setup_usd = FILAMENT_RATES.margin * (FILAMENT_RATES.handling_usd + FILAMENT_RATES.setup_usd / QUANTITY)
    (_, _, panel_mm), (_, *post_mm) = _SMALL
    columns = (
        f"By method: highest stress in bending, USD per gram of a {panel_mm:g} mm panel and of a post of "
        f"{post_mm[0]:g} x {post_mm[1]:g} mm, at {QUANTITY} machines; second figures are those of a larger machine. "
        f"A printed piece costs {setup_usd:.2f} USD before any filament. Glue: N/mm2. The environment's friction is "
        "0.4; two surfaces have the geometric mean of theirs."
    )
    header = ("material_id", "kg/m3", "friction", "glue", "method MPa panel post")
    sizes = "\n".join(["Largest part, in mm:", "", *_machine_lines(shown)])
    return "\n\n".join([columns, table(header, _material_rows(shown)), sizes])


def _material_rows(shown: Collection[Method]) -> Iterator[tuple[str, ...]]:
    for material in MATERIALS.values():
        figures = (material.density_kg_m3, material.friction, bond_mpa(material.id))
        texts = [_method_text(method, material) for method in material.methods if method in shown]
        if texts:
            yield (material.id, *(number(figure) if figure else "none" for figure in figures), "; ".join(texts))


def _method_text(method: Method, material: Material) -> str:
    costs = [_costs(method, material, machine_mm) for machine_mm in _machines(method, material)]
    panels, posts = ("/".join(each) for each in zip(*costs, strict=True))
    return f"{method} {max_stress_mpa(material, method):.0f} {panels} {posts}"


def _machine_lines(shown: Collection[Method]) -> Iterator[str]:
    """Yield the largest parts of each method; of several groups of machines the last names no materials."""
    groups: dict[Method, dict[str, list[str]]] = {}
    for material in MATERIALS.values():
        for method in material.methods:
            if method not in shown:
                continue
            sizes = "; in a larger one ".join(" x ".join(map(number, each)) for each in _machines(method, material))
            groups.setdefault(method, {}).setdefault(sizes, []).append(material.id)
    for method, ids in groups.items():
        *some, rest = sorted(ids, key=lambda sizes: len(ids[sizes]))
        named = [f"{sizes} ({', '.join(ids[sizes])})" for sizes in some]
        yield f"- {method}: {', '.join([*named, rest])}"


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
    return f"{estimate.unit_price_usd / estimate.mass_g:.2g}"


def _estimate(method: Method, material: Material, size_mm: Edges) -> PartEstimate:
    return estimate_part(Order(material=material, quantity=QUANTITY), method, size_mm)
