"""What parts can be made of, as a table."""

from parts_catalog.materials import MATERIALS

from agent.rendering.tables import number, table


def materials_markdown() -> str:
    """Write every material with its density, friction and the methods that can use it.

    The payload slides by a friction of its own, which the assignment states: no material changes that.
    """
    rows = [
        (
            material.id,
            number(material.density_kg_m3),
            number(material.friction),
            ", ".join(f"{method} ({number(price)})" for method, price in material.prices_usd_per_kg.items()),
        )
        for material in MATERIALS.values()
    ]
    return table(("material_id", "density (kg/m3)", "friction of part on part", "methods (USD/kg)"), rows)
