"""Bills of materials and simulation results as Markdown."""

from collections import Counter
from collections.abc import Sequence

from contracts.models.benchmark import Limits
from contracts.models.design import BillLine, BillOfMaterials
from contracts.models.simulation import SimulationResult
from documents.markdown import one_line, table

from agent.rendering.tables import limit, number


def bill_markdown(bill: BillOfMaterials) -> str:
    """Return method, material, mass and price of every made part and, for all its pieces, every kind of bought part."""
    rows = [
        (
            _names(alike),
            line.method,
            line.material_id,
            " x ".join(number(edge) for edge in line.box.size_mm),
            _mass(sum(each.mass_kg for each in alike)),
            _price(sum(each.unit_price_usd for each in alike)),
        )
        for alike in bill.kinds
        for line in alike[:1]
    ]
    rows += [
        (
            f"{line.count} x {one_line(line.what)}",
            "bought",
            line.catalog_id,
            "-",
            _mass(line.count * line.mass_kg),
            _price(line.count * line.unit_price_usd),
        )
        for line in bill.hardware
    ]
    rows.append(("all together", "", "", "", _mass(bill.mass_kg), _price(bill.unit_price_usd)))
    return table(("part", "method", "material", "box (mm)", "mass (g)", "price (USD)"), rows)


def _names(alike: Sequence[BillLine]) -> str:
    labels = ", ".join(line.label for line in alike)
    return labels if len(alike) == 1 else f"{len(alike)} x {labels}"


def _mass(kg: float) -> str:
    return f"{1000 * kg:.1f}"


def _price(usd: float) -> str:
    return f"{usd:.2f}"


def limits_markdown(bill: BillOfMaterials, limits: Limits) -> str:
    """Return price, mass and part count with their limits."""
    rows = [
        ("unit price", f"{number(bill.unit_price_usd)} USD", limit(limits.max_unit_price_usd, "USD")),
        ("mass", f"{number(bill.mass_kg)} kg", limit(limits.max_mass_kg, "kg")),
        ("parts", str(bill.part_count), limit(limits.max_parts, "")),
    ]
    return table(("quantity", "measured", "at most"), rows)


def simulation_markdown(result: SimulationResult) -> str:
    """Return verdict, stability, speed and endings of the replicas, then the simulator's own summary."""
    endings = Counter(replica.ending for replica in result.replicas)
    rows = [
        ("verdict", result.verdict),
        ("stability", result.stability),
        *((f"replicas that ended `{ending}`", str(count)) for ending, count in sorted(endings.items())),
        ("nominal maximum speed", f"{number(result.nominal.max_speed_m_s)} m/s"),
    ]
    return f"{table(('measure', 'value'), rows)}\n\n{result.summary_md.strip()}"
