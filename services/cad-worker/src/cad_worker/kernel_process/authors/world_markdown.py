"""A world of an author as Markdown: zones, payloads, solids, and what moves them."""

from collections.abc import Iterator

from contracts.models.benchmark import Payload, Variant
from contracts.models.geometry import Box, Vector
from design_rules.design_data import DesignData, PartData
from documents.markdown import table
from geometry.occt.brep import OCCT_ERRORS, UnreadableBrepError, read_brep
from geometry.occt.measures import bounding_box
from kernel.api.drafts.author_host import AuthorWorld

MAX_SOLIDS = 60
_BOX = ("from mm", "to mm")


def world_markdown(world: AuthorWorld, design: DesignData) -> str:
    """Return what a world consists of, and why the format refuses it."""
    title = "# Nominal world" if world.seed is None else f"# World of seed {world.seed}"
    blocks = [title, _verdict(world)]
    if world.benchmark is not None:
        blocks += [_zones(world.benchmark), _payloads(world.benchmark)]
    if design.parts:
        blocks += [_solids(design), *_motion(design)]
    return "\n\n".join(blocks)


def _verdict(world: AuthorWorld) -> str:
    if world.is_sound:
        return "The format refuses nothing. `test()` simulates."
    return "**Refused:**\n\n" + "\n".join(f"- {fault}" for fault in world.faults)


def _zones(variant: Variant) -> str:
    boxes: list[tuple[str, Box]] = [("bounds", variant.bounds), ("build zone", variant.build_zone)]
    boxes += [("goal zone", variant.goal_zone)]
    boxes += [(f"forbid zone {zone.label} ({zone.binds})", zone.box) for zone in variant.forbid_zones]
    boxes += [(f"obstacle {each.label}", each.box) for each in variant.obstacles]
    return table(("zone", *_BOX), [(name, _vector(box.min_mm), _vector(box.max_mm)) for name, box in boxes])


def _payloads(variant: Variant) -> str:
    return table(("payload", "shape", "size", "start mm"), [_payload_row(each) for each in variant.payloads])


def _payload_row(payload: Payload) -> tuple[str, ...]:
    return payload.label, payload.shape, payload.size_text, _vector(payload.start_mm)


def _solids(design: DesignData) -> str:
    rows = [_solid_row(part) for part in design.parts[:MAX_SOLIDS]]
    left_out = len(design.parts) - len(rows)
    more = f"\n\nand {left_out} more" if left_out else ""
    return table(("solid", *_BOX, "is"), rows) + more


def _solid_row(part: PartData) -> tuple[str, ...]:
    what = part.catalog_id or part.material_id or "fixed"
    return part.label or "(no label)", *_extent(part), f"{what}, loose" if part.is_loose else what


def _extent(part: PartData) -> tuple[str, str]:
    try:
        boxes = [bounding_box(solid) for solid in read_brep(part.brep).solids]
    except (UnreadableBrepError, *OCCT_ERRORS):
        boxes = []
    corners = [corner for box in boxes if box is not None for corner in (box.min_mm, box.max_mm)]
    if not corners:
        return "no solid", ""
    around = Box.around(corners)
    return _vector(around.min_mm), _vector(around.max_mm)


def _motion(design: DesignData) -> Iterator[str]:
    mechanism = design.mechanism
    lines = [f"- joint `{each.label}`: `{each.child}` on `{each.parent}`, {each.kind}" for each in mechanism.joints]
    for motor in mechanism.motors:
        control = motor.control.model_dump_json(exclude={"kind"})
        lines.append(f"- motor `{motor.part}` drives `{motor.joint}`: {motor.control.kind} {control}")
    if lines:
        yield "Moves, so that four times the seeds are certified:\n\n" + "\n".join(lines)


def _vector(values: Vector) -> str:
    return ", ".join(f"{value:.4g}" if abs(value) >= 1000 else f"{round(value, 2) + 0.0:g}" for value in values)
