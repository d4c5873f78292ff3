"""Rules between bodies: they may touch, must not share volume, and must hold each other up."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from contracts.design import Finding

from cad_worker.bodies import Block
from cad_worker.geometry.occt import distance_mm, overlap
from cad_worker.geometry.proximity import TOUCHING_MM, Separation, near, separation
from cad_worker.rules.wording import mm, opposite, place, towards

CONTACT_VOLUME_MM3 = 1.0
"""What two touching bodies may share by rounding."""
CONTACT_GAP_MM = 0.05
"""A gap that still holds a part."""
SAME_PLACE_MM = 1e-3
MAX_OVERLAPS = 40
"""Nobody reads more; each costs an exact intersection."""


def interferences(parts: Sequence[Block], environment: Sequence[Block]) -> list[Finding]:
    """Report pairs that share volume, at most `MAX_OVERLAPS`."""
    found: list[Finding] = []
    for part, other, from_environment in _pairs(parts, environment):
        finding = _interference(part, other, from_environment=from_environment)
        if finding is not None:
            found.append(finding)
        if len(found) == MAX_OVERLAPS:
            break
    return found


def _pairs(parts: Sequence[Block], environment: Sequence[Block]) -> Iterator[tuple[Block, Block, bool]]:
    for first, second in combinations(parts, 2):
        yield first, second, False
    for part in parts:
        for solid in environment:
            yield part, solid, True


def _interference(part: Block, other: Block, *, from_environment: bool) -> Finding | None:
    if not near(part.box.around, other.box.around, 0.0):
        return None
    apart = separation(part.box, other.box)
    if apart.gap_mm > -TOUCHING_MM:
        return None
    shared = overlap(part.solid, other.solid)
    if shared.volume_mm3 <= CONTACT_VOLUME_MM3:
        return None
    whose = f"{other.label} of the environment" if from_environment else other.label
    detail = (
        f"{part.label} shares {shared.volume_mm3:.1f} mm³ with {whose} around {place(shared.center_mm)}; up to "
        f"{CONTACT_VOLUME_MM3:g} mm³ is contact; {_remedy(part, other, apart, from_environment=from_environment)}"
    )
    rule = "environment_interference" if from_environment else "interference"
    return Finding(rule=rule, label=part.label, detail=detail)


def _remedy(part: Block, other: Block, apart: Separation, *, from_environment: bool) -> str:
    depth = mm(-apart.gap_mm)
    advice = f"move {part.label} {depth} along {towards(opposite(apart.direction))}"
    if not from_environment:
        advice += f" or {other.label} along {towards(apart.direction)}"
    return f"{advice}, or make it smaller"


def floating(parts: Sequence[Block], environment: Sequence[Block]) -> list[Finding]:
    """Report parts that no chain of contacts joins to the environment."""
    held = list(environment)
    loose = list(parts)
    newly_held = list(environment)
    while newly_held and loose:
        reach = [any(_touch(part, body) for body in newly_held) for part in loose]
        newly_held = [part for part, is_held in zip(loose, reach, strict=True) if is_held]
        loose = [part for part, is_held in zip(loose, reach, strict=True) if not is_held]
        held += newly_held
    return [_floating(part, held) for part in loose]


def _touch(first: Block, second: Block) -> bool:
    if not near(first.box.around, second.box.around, CONTACT_GAP_MM):
        return False
    gap = separation(first.box, second.box).gap_mm
    # The test's gap is a lower bound of the distance: only in between must OCCT measure.
    return gap <= TOUCHING_MM or (gap <= CONTACT_GAP_MM and distance_mm(first.solid, second.solid) <= CONTACT_GAP_MM)


def _floating(part: Block, held: Sequence[Block]) -> Finding:
    nearest = min(held, key=lambda body: separation(part.box, body.box).gap_mm)
    gap = distance_mm(part.solid, nearest.solid)
    detail = (
        f"{part.label} around {place(part.box.around.center_mm)} is held by nothing: {nearest.label}, the nearest body "
        f"that stands, is {mm(gap)} away and {mm(CONTACT_GAP_MM)} counts as contact; let it touch, or add a leg that "
        "reaches the environment"
    )
    return Finding(rule="floating", label=part.label, detail=detail)


def environment_copies(parts: Sequence[Block], environment: Sequence[Block]) -> list[Finding]:
    """Report parts that pretend to be the environment, by name or by place."""
    found: list[Finding] = []
    for part in parts:
        solid = next((body for body in environment if body.label == part.label or _same(part, body)), None)
        if solid is not None:
            what = (
                "is a copy of" if _same(part, solid) else f"around {place(part.box.around.center_mm)} has the label of"
            )
            detail = (
                f"{part.label} {what} {solid.label}, which belongs to the environment and is there anyway; hand in "
                "your own parts only, under labels of their own"
            )
            found.append(Finding(rule="environment_changed", label=part.label, detail=detail))
    return found


def _same(first: Block, second: Block) -> bool:
    """Tell whether two boxes have the same corners, in whatever order their axes are named."""
    ours, theirs = first.box.corners_mm, second.box.corners_mm
    distances = np.linalg.norm(ours[:, None, :] - theirs[None, :, :], axis=2)
    return bool((distances.min(axis=1) <= SAME_PLACE_MM).all())
