"""Rules between bodies: they may touch, and must not share volume."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from contracts.models.design import Finding
from geometry.digest import canonical_text
from geometry.formatting import format_direction, format_mm, format_point
from workbenches.finding_text import opposite

from cad_worker.validation.bodies import Block, Fixture, Part
from cad_worker.validation.distances import overlap, way_out

CONTACT_VOLUME_MM3 = 1.0
"""What two touching bodies may share by rounding."""
SAME_PLACE_MM = 1e-3
MAX_OVERLAPS = 40
"""Nobody reads more; each costs an exact intersection."""


def interferences(parts: Sequence[Part], environment: Sequence[Fixture]) -> list[Finding]:
    """Report pairs that share volume, at most `MAX_OVERLAPS`."""
    found: list[Finding] = []
    for part, other in _pairs(parts, environment):
        finding = _interference(part, other)
        if finding is not None:
            found.append(finding)
        if len(found) == MAX_OVERLAPS:
            break
    return found


def _pairs(parts: Sequence[Part], environment: Sequence[Fixture]) -> Iterator[tuple[Part, Block]]:
    yield from combinations(parts, 2)
    for part in parts:
        for solid in environment:
            yield part, solid


def _interference(part: Part, other: Block) -> Finding | None:
    common = overlap(part, other)
    if common is None or common.volume_mm3 <= CONTACT_VOLUME_MM3:
        return None
    whose = f"{other.label} of the environment" if isinstance(other, Fixture) else other.label
    detail = (
        f"{part.label} shares {common.volume_mm3:.1f} mm³ with {whose} around {format_point(common.center_mm)}; up to "
        f"{CONTACT_VOLUME_MM3:g} mm³ is contact; {_remedy(part, other)}"
    )
    rule = "environment_interference" if isinstance(other, Fixture) else "interference"
    return Finding(rule=rule, label=part.label, detail=detail)


def _remedy(part: Part, other: Block) -> str:
    apart = way_out(part, other)
    depth = format_mm(-apart.gap_mm)
    advice = f"move {part.label} {depth} along {format_direction(opposite(apart.direction))}"
    if not isinstance(other, Fixture):
        advice += f" or {other.label} along {format_direction(apart.direction)}"
    return f"{advice}, or make it smaller"


def environment_copies(parts: Sequence[Part], environment: Sequence[Fixture]) -> list[Finding]:
    """Report parts that pretend to be the environment, by name or by place."""
    found: list[Finding] = []
    for part in parts:
        solid = next((body for body in environment if body.label == part.label or _same(part, body)), None)
        if solid is not None:
            what = (
                "is a copy of"
                if _same(part, solid)
                else f"around {format_point(part.around.center_mm)} has the label of"
            )
            detail = (
                f"{part.label} {what} {solid.label}, which belongs to the environment and is there anyway; hand in "
                "your own parts only, under labels of their own"
            )
            found.append(Finding(rule="environment_changed", label=part.label, detail=detail))
    return found


def _same(first: Block, second: Block) -> bool:
    """Tell whether two solids are one in the same place, however they were built."""
    ours, theirs = first.around, second.around
    if not np.allclose((ours.min_mm, ours.max_mm), (theirs.min_mm, theirs.max_mm), rtol=0, atol=SAME_PLACE_MM):
        return False
    if first.box is None or second.box is None:
        return first.box is second.box and canonical_text(first.solid) == canonical_text(second.solid)
    distances = np.linalg.norm(first.box.corners_mm[:, None, :] - second.box.corners_mm[None, :, :], axis=2)
    return bool((distances.min(axis=1) <= SAME_PLACE_MM).all())
