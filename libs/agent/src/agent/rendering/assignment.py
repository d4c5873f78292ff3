"""What is asked of the engineer, as Markdown tables in millimetres."""

from contracts.models.benchmark import Assignment, Environment, Limits, Variant
from contracts.models.geometry import Box

from agent.rendering.tables import limit, number, table

_BOX_HEADER = ("kind", "label", "min x", "min y", "min z", "max x", "max y", "max z")


def assignment_markdown(assignment: Assignment, environment: Environment) -> str:
    """Write the whole assignment: the world, its zones, the payload, the limits and the environment's solids.

    Sections: `## Benchmark`, `## Zones (mm)`, `## Payload`, `## Limits`, `## Environment solids (mm)`.
    """
    variant = assignment.variant
    return "\n\n".join(
        [
            f"## Benchmark\n\n**{variant.title}** (`{variant.benchmark}`, seed {variant.seed}, level {variant.level})",
            variant.description.strip(),
            f"## Zones (mm)\n\n{zones_table(variant)}",
            f"## Payload\n\n{payload_table(variant)}",
            f"## Limits\n\n{limits_table(assignment.limits, assignment.quantity)}",
            f"## Environment solids (mm)\n\n{environment_table(environment)}",
        ]
    )


def zones_table(variant: Variant) -> str:
    """Write bounds, build zone, goal zone and forbid zones, one row each."""
    rows = [
        _box_row("bounds", "bounds", variant.bounds),
        _box_row("build", "build", variant.build_zone),
        _box_row("goal", "goal", variant.goal_zone),
        *(_box_row("forbid", zone.label, zone.box) for zone in variant.forbid_zones),
    ]
    return table(_BOX_HEADER, rows)


def payload_table(variant: Variant) -> str:
    """Write what must be moved, how long it has and how long it must stay."""
    payload = variant.payload
    start = ", ".join(number(axis) for axis in payload.start_mm)
    size = "diameter" if payload.shape == "ball" else "edge"
    rows = [
        ("label", payload.label),
        ("shape", payload.shape),
        (f"size ({size})", f"{number(payload.size_mm)} mm"),
        ("start (centre)", f"{start} mm"),
        ("density", f"{number(payload.density_kg_m3)} kg/m3"),
        ("friction", number(payload.friction)),
        ("time", f"{number(variant.duration_s)} s"),
        ("hold in the goal zone", f"{number(variant.hold_s)} s"),
    ]
    return table(("property", "value"), rows)


def limits_table(limits: Limits, quantity: int) -> str:
    """Write what the machine may cost and weigh."""
    rows = [
        ("unit price", limit(limits.max_unit_price_usd, "USD")),
        ("mass", limit(limits.max_mass_kg, "kg")),
        ("parts", limit(limits.max_parts, "")),
        ("quantity", str(quantity)),
    ]
    return table(("limit", "at most"), rows)


def environment_table(environment: Environment) -> str:
    """Write the box around each solid of the environment."""
    if not environment.solids:
        return "The environment has no solids."
    return table(_BOX_HEADER, [_box_row("environment", solid.label, solid.box) for solid in environment.solids])


def _box_row(kind: str, label: str, box: Box) -> tuple[str, ...]:
    return (kind, label, *(number(axis) for axis in (*box.min_mm, *box.max_mm)))
