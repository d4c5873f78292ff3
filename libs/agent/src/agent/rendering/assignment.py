"""The assignment of a run and the materials as Markdown tables, in millimetres."""

from collections.abc import Sequence

from contracts.criteria import JITTER_START_MM
from contracts.models.benchmark import Assignment, Bound, Environment, GoalRule, MustArrive, Payload, Solid, Variant
from contracts.models.geometry import UPRIGHT, Box
from contracts.models.mechanism import Mechanism
from documents.markdown import one_line, table

from agent.rendering.environment_motion import environment_motion
from agent.rendering.tables import limit, number, numbers, quoted

GOAL_RULES: dict[GoalRule, str] = {
    "touch": "touch the goal zone",
    "inside": "be entirely inside the goal zone",
    "at_rest": "touch the goal zone at less than 10 mm/s",
}
"""What the payload must do for the hold time."""
PAYLOADS_START = "box around all payloads at the start"
_MUST_ARRIVE: dict[MustArrive, str] = {
    "all": "**All of them** must do what the goal rule asks for at the same time, for the whole hold time. "
    "The run fails when one leaves the world or touches a forbid zone.",
    "any": "**Any one of them** must do what the goal rule asks for, for the whole hold time. "
    "One that leaves the world or touches a forbid zone is lost; the run fails when all are.",
}
_FORBIDS: dict[Bound, str] = {"both": "forbid", "parts": "forbid parts", "payload": "forbid payload"}
"""Kind of a forbid zone, by whom it binds."""
_BOX_HEADER = ("kind", "label", "min x", "min y", "min z", "max x", "max y", "max z")


def assignment_markdown(assignment: Assignment, environment: Environment) -> str:
    """Return the whole assignment: benchmark, zones, payload, limits and the environment's solids.

    Sections: `## Benchmark`, `## Zones (mm)`, `## Payload` or `## Payloads`, `## Limits`,
    `## Environment solids (mm)`, `## Moving parts of the environment`.
    """
    return world_markdown(assignment, environment.solids, environment.mechanism)


def world_markdown(assignment: Assignment, solids: Sequence[Solid], mechanism: Mechanism) -> str:
    """Return the same of the environment's solids and joints."""
    variant = assignment.variant
    return "\n\n".join(
        [
            f"## Benchmark\n\n**{one_line(variant.title)}** "
            f"(`{variant.benchmark}`, seed {variant.seed}, level {variant.level})",
            quoted(variant.description),
            f"## Zones (mm)\n\n{zones_table(variant)}",
            payloads_section(variant),
            f"## Limits\n\n{limits_table(assignment)}",
            f"## Environment solids (mm)\n\n{environment_table(solids)}",
            f"## Moving parts of the environment\n\n{environment_motion(mechanism, solids, variant.obstacles)}",
        ]
    )


def zones_table(variant: Variant) -> str:
    """Return bounds, build zone, goal zone and forbid zones, one row each."""
    rows = [
        _box_row("bounds", "bounds", variant.bounds),
        _box_row("build", "build", variant.build_zone),
        _box_row("goal", "goal", variant.goal_zone),
        *(_box_row(_FORBIDS[zone.binds], zone.label, zone.box) for zone in variant.forbid_zones),
        *(_box_row("obstacle", each.label, each.box) for each in variant.obstacles),
    ]
    return table(_BOX_HEADER, rows)


def payload_table(variant: Variant) -> str:
    """Return the payload, the time it has, and how long it must stay in the goal zone."""
    return table(("property", "value"), [*_payload_rows(variant.payload), *_goal_rows(variant)])


def payloads_section(variant: Variant) -> str:
    """Return the payload; of several, one column each, which of them must arrive, and how the kernel names them."""
    if not variant.more_payloads:
        return f"## Payload\n\n{payload_table(variant)}"
    columns = [dict(_payload_rows(payload)) for payload in variant.payloads]
    names = dict.fromkeys(name for column in columns for name in column)
    rows = [(name, *(column.get(name, "") for column in columns)) for name in names]
    start = Box.around(corner for each in variant.payloads for corner in (each.box.min_mm, each.box.max_mm))
    around = (PAYLOADS_START, f"{numbers(start.min_mm)} to {numbers(start.max_mm)} mm")
    other = variant.more_payloads[0].label
    return "\n\n".join(
        [
            f"## Payloads\n\nThere are {len(columns)} payloads, which collide with each other. "
            f"{_MUST_ARRIVE[variant.must_arrive]}",
            table(("payload", *(f"payload {number}" for number in range(1, len(columns) + 1))), rows),
            table(("property", "value"), [around, *_goal_rows(variant)]),
            "In the kernel `benchmark.payloads` are all of them; `benchmark.payload` and `run.payload_mm` are of the "
            f'first, `run.body_mm("{other}")` is the path of another one, and '
            f'`simulate(assembly, payload_at_mm={{"{other}": (x, y, z)}})` releases that one elsewhere. '
            "`run.nominal.payloads` has the end of each: `label`, `has_arrived`, `final_mm`, `closest_goal_mm` "
            "and `lost`.",
        ]
    )


def _payload_rows(payload: Payload) -> list[tuple[str, str]]:
    return [
        ("label", payload.label),
        ("shape", payload.shape),
        *_size_rows(payload),
        ("start (centre)", f"{numbers(payload.start_mm)} mm"),
        *_release_rows(payload),
        ("density", f"{number(payload.density_kg_m3)} kg/m3"),
        ("friction", number(payload.friction)),
        *(() if payload.restitution is None else (("restitution", number(payload.restitution)),)),
        *(() if payload.material_id is None else (("material", payload.material_id),)),
    ]


def _goal_rows(variant: Variant) -> list[tuple[str, str]]:
    return [
        ("time", f"{number(variant.duration_s)} s"),
        ("hold in the goal zone", f"{number(variant.hold_s)} s"),
        ("goal rule", GOAL_RULES[variant.goal_rule]),
        *_jitter_rows(variant),
    ]


def _size_rows(payload: Payload) -> list[tuple[str, str]]:
    if payload.edges_mm is not None:
        of = "edges along its own axes" if payload.shape == "box" else "box around it along its own axes"
        return [(f"size ({of})", f"{numbers(payload.edges_mm)} mm")]
    size = "edge" if payload.shape == "cube" else "diameter"
    rows = [(f"size ({size})", f"{number(payload.size_mm)} mm")]
    if payload.length_mm is not None:
        rows.append(("length along its own z axis", f"{number(payload.length_mm)} mm"))
    return rows


def _release_rows(payload: Payload) -> list[tuple[str, str]]:
    """Return how it is turned and how it moves at its release, unless it is upright and at rest."""
    rows: list[tuple[str, str]] = []
    if payload.start_quaternion != UPRIGHT:
        box, quaternion = payload.box, numbers(payload.start_quaternion)
        rows.append(("rotation at the start (quaternion w, x, y, z)", quaternion))
        rows.append(("box around it at the start", f"{numbers(box.min_mm)} to {numbers(box.max_mm)} mm"))
    if any(payload.start_velocity_mm_s):
        rows.append(("velocity at its release", f"{numbers(payload.start_velocity_mm_s)} mm/s"))
    return rows


def _jitter_rows(variant: Variant) -> list[tuple[str, str]]:
    """Return the jitter of the start if it is not the usual one, which every role's system prompt states."""
    if variant.replica_jitter_mm == JITTER_START_MM:
        return []
    instead = f"up to {number(variant.replica_jitter_mm)} mm instead of {number(JITTER_START_MM)} mm"
    return [("start of replicas", instead)]


def limits_table(assignment: Assignment) -> str:
    """Return the limits of price, mass and parts, and of the power of all motors together."""
    limits = assignment.limits
    rows = [
        ("unit price", limit(limits.max_unit_price_usd, "USD")),
        ("mass", limit(limits.max_mass_kg, "kg")),
        ("parts", limit(limits.max_parts, "")),
        ("power of all motors together", limit(assignment.variant.supply_limit_w, "W")),
        ("quantity", str(assignment.quantity)),
    ]
    if assignment.variant.power == "machine":
        rows.append(("supply, drivers, controller, cables of motors", "bought: they are in the unit price"))
    return table(("limit", "at most"), rows)


def environment_table(solids: Sequence[Solid]) -> str:
    """Return the bounding box of each solid of the environment."""
    if not solids:
        return "The environment has no solids."
    return table(_BOX_HEADER, [_box_row(_kind(solid), solid.label, solid.box) for solid in solids])


def _kind(solid: Solid) -> str:
    """Name a loose body with its mass's material, since a machine and the payload can push it."""
    return f"loose, of {solid.material_id}" if solid.is_loose else "environment"


def _box_row(kind: str, label: str, box: Box) -> tuple[str, ...]:
    return (kind, label, *(number(axis) for axis in (*box.min_mm, *box.max_mm)))
