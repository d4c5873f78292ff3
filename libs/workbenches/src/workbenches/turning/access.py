"""Which faces the tools of a lathe reach: from outside, from both ends, through bores, and driven ones."""

import numpy as np
from contracts.models.design import Finding
from geometry.arrays import BoolArray, FloatArray, as_vector
from geometry.formatting import format_mm, format_point

from workbenches.findings import Measurement, Position, make_finding
from workbenches.part_mesh import OFF_FACETS_MM
from workbenches.turning.spindle import Spindle

ALONG = 0.999
ACROSS = 0.05
SIDES = 24
"""Directions across the axis from which driven tools come."""


def unreachable_faces(spindle: Spindle, label: str) -> list[Finding]:
    """Report faces that no tool reaches, and grooves inside that a bar cuts through the bore."""
    reached, by_bar = _reached_by_turning(spindle)
    driven = _reached_by_driven(spindle)
    samples, rules = spindle.mesh.samples, spindle.rules
    findings: list[Finding] = []
    for face in range(len(spindle.mesh.surfaces)):
        if not (samples.faces == face).any():
            continue
        turned = bool(spindle.turned[face]) or face in spindle.threads
        if samples.are_most(face, reached | driven, rules.seen_share):
            continue
        if turned and samples.are_most(face, reached | driven | by_bar, rules.seen_share):
            findings.append(_inner_groove(spindle, label, face))
        else:
            findings.append(_unreachable(spindle, label, face, samples.share_of(face, reached | driven)))
    return findings


def _reached_by_turning(spindle: Spindle) -> tuple[BoolArray, BoolArray]:
    """Return (n,), (n,): which samples tools reach radially or from the ends; which from the axis alone."""
    mesh, axis = spindle.mesh, spindle.axis
    samples = mesh.samples
    radial = axis.radial(samples.points_mm)
    outwards = radial / np.maximum(np.linalg.norm(radial, axis=1), 1e-9)[:, None]
    reached = mesh.is_visible(samples, axis.direction) | mesh.is_visible(samples, -axis.direction)
    origins = samples.points_mm + samples.normals * OFF_FACETS_MM
    facing = np.einsum("nx,nx->n", samples.normals, outwards) > -1e-3
    beyond = mesh.first_hits(origins, outwards, through=None, exact=False)
    reached |= facing & ~beyond.is_hit
    inwards = np.einsum("nx,nx->n", samples.normals, outwards) < 1e-3
    to_axis = mesh.first_hits(origins, -outwards, through=None, exact=False)
    sees_axis = inwards & (to_axis.distance_mm >= np.linalg.norm(radial, axis=1) - 2 * OFF_FACETS_MM)
    return reached, sees_axis & _bar_fits(spindle, samples.points_mm)


def _bar_fits(spindle: Spindle, points_mm: FloatArray) -> BoolArray:
    """Return (n,): whether a boring bar comes to the place of each point from an open end."""
    outline, least = spindle.outline, spindle.rules.least_bar_bore_mm / 2
    is_open = outline.inner_mm >= least - 1e-6
    along = (points_mm - spindle.axis.point_mm) @ spindle.axis.direction
    station = np.searchsorted(outline.along_mm, along).clip(0, len(is_open) - 1)
    from_low, from_high = np.logical_and.accumulate(is_open), np.logical_and.accumulate(is_open[::-1])[::-1]
    before = np.maximum(station - 1, 0)
    return (from_low | from_high)[station] | (from_low | from_high)[before]


def _reached_by_driven(spindle: Spindle) -> BoolArray:
    """Return (n,): which samples a driven tool sees from across the axis or along it."""
    mesh, direction = spindle.mesh, spindle.axis.direction
    normals = [np.array(surface.axis) for surface in mesh.surfaces if surface.axis is not None]
    across = [each for each in normals if abs(float(each @ direction)) < ACROSS]
    first = np.cross(direction, mesh.axes[int(np.argmin(np.abs(mesh.axes @ direction)))])
    first /= np.linalg.norm(first)
    second = np.cross(direction, first)
    angles = np.arange(SIDES) * 2 * np.pi / SIDES
    sides = [np.cos(angle) * first + np.sin(angle) * second for angle in angles]
    unique: list[FloatArray] = []
    for each in [*across, *(-each for each in across), *sides]:
        if not any(float(each @ other) > ALONG for other in unique):
            unique.append(each)
    seen = [mesh.is_visible(mesh.samples, each) for each in (*unique, direction, -direction)]
    turned = spindle.turned[mesh.samples.faces]
    return np.logical_or.reduce(seen) & ~turned


def _inner_groove(spindle: Spindle, label: str, face: int) -> Finding:
    point_mm = as_vector(spindle.mesh.samples.points_mm[spindle.mesh.samples.faces == face][0])
    detail = (
        f"{label} has a groove inside at {format_point(point_mm)}, which a bar cuts through the bore; let it run out "
        "to an end if it need not be closed"
    )
    at = Position(face, point_mm)
    return make_finding("turn_unreachable", label, detail, at=at, severity="warning")


def _unreachable(spindle: Spindle, label: str, face: int, share: float) -> Finding:
    point_mm = as_vector(spindle.mesh.samples.points_mm[spindle.mesh.samples.faces == face][0])
    surface = spindle.mesh.surfaces[face]
    leaning = surface.kind == "cylinder" and surface.axis is not None
    cosine = abs(float(np.array(surface.axis) @ spindle.axis.direction)) if leaning else 0.0
    if leaning and ACROSS < cosine < ALONG:
        what = "a hole that leans to the axis: drill along the axis or across it"
    else:
        bore = format_mm(spindle.rules.least_bar_bore_mm)
        what = f"only {share:.0%} of a face is reached: open it to an end, or widen the bore to {bore} for a bar"
    detail = f"{label}, at {format_point(point_mm)}: {what}"
    measurement = Measurement(share, spindle.rules.seen_share)
    return make_finding("turn_unreachable", label, detail, at=Position(face, point_mm), measurement=measurement)
