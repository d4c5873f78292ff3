"""Notes on drawings: what views and table do not show."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
from geometry.arrays import FloatArray
from parts_catalog.methods.registry import METHODS
from workbenches.moulding.parting import MouldOpening, best_opening
from workbenches.part_frame import direction_name
from workbenches.part_mesh import PartMesh

from build_package.drawings.round_features import inner_radii_mm
from build_package.drawings.views import ThreeViews
from build_package.machine import MadePart
from build_package.screw_holes import DrilledPart
from build_package.teeth.texts import tooth_notes

MOST_RADII = 8
UPRIGHT_BELOW_DEG = 60.0
"""Flatter faces need no draft."""
AT_MM = 1e-4
LEVELS = 200
"""Heights among which the parting plane is sought."""


def drawing_notes(part: MadePart, views: ThreeViews) -> list[str]:
    """Return the notes on a part's drawing."""
    radii = inner_radii_mm(part.drawn_mesh)
    notes = [f"inner radii: {', '.join(f'R{each:g}' for each in radii[:MOST_RADII])}"] if radii else []
    notes += METHODS[part.line.method].drawing_notes
    if part.toothed is not None:
        notes += tooth_notes(part.toothed)
    if part.drilled is not None:
        notes += hole_notes(part.drilled)
    return [*notes, *(mould_notes(part.drawn_mesh, views) if part.line.method == "injection_molding" else ())]


def hole_notes(part: DrilledPart) -> list[str]:
    """Return what each size of a screw's hole is for."""
    counts = Counter((hole.diameter_mm, hole.use) for hole in part.holes)
    return [f"{count} x Ø{diameter_mm:g} {use}" for (diameter_mm, use), count in counts.items()]


def mould_notes(mesh: PartMesh, views: ThreeViews) -> Iterator[str]:
    """Yield how the mould opens, its parting plane, side actions and the least draft."""
    opening = best_opening(mesh)
    axis = int(np.argmax(np.abs(views.frame @ opening.pull)))
    height_mm = parting_height_mm(mesh, opening)
    level_mm = height_mm * float(views.frame[axis] @ opening.pull) - float(views.origin_mm @ views.frame[axis])
    yield f"mould opens along {'XYZ'[axis]}; parting plane at {'xyz'[axis]} = {level_mm:.2f}"
    for direction in opening.side_actions:
        turned = views.frame @ direction
        along = int(np.argmax(np.abs(turned)))
        yield f"side action out along {direction_name(along if turned[along] > 0 else along + 3)}"
    draft_deg = np.degrees(np.arcsin(np.abs(mesh.samples.normals @ opening.pull).clip(0, 1)))
    upright = draft_deg < UPRIGHT_BELOW_DEG
    if upright.any():
        yield f"least draft of upright faces {float(draft_deg[upright].min()):.2f}°"


def parting_height_mm(mesh: PartMesh, opening: MouldOpening) -> float:
    """Return the height along the pull at which the halves meet on the outline, in world coordinates.

    The outline's walls lean to the half that forms them: the plane is where the least of their area leans away.
    """
    samples = mesh.samples
    sides = [side for side in np.vstack([mesh.axes, -mesh.axes]) if abs(float(side @ opening.pull)) < 0.5]
    is_outer = np.any([mesh.is_visible(samples, side) for side in sides], axis=0)
    heights, leans = samples.points_mm[is_outer] @ opening.pull, samples.normals[is_outer] @ opening.pull
    areas = samples.areas_mm2[is_outer] * np.abs(leans)
    low, high = mesh.range_mm(opening.pull)
    levels: FloatArray = np.linspace(low, high, LEVELS)
    below = np.array([areas[(leans > 0) & (heights < level - AT_MM)].sum() for level in levels])
    above = np.array([areas[(leans < 0) & (heights > level + AT_MM)].sum() for level in levels])
    wrong = below + above
    best = levels[wrong <= wrong.min() + 1e-9]
    ends = [float(end) for end in (best[-1], best[0]) if end in {high, low}]
    return ends[0] if ends else float(best[len(best) // 2])
