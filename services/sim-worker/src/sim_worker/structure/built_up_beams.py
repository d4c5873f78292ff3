"""Built-up beams: parts that are glued together along their length bend as one, such as floor and walls of a chute."""

from dataclasses import dataclass

import numpy as np
from contracts.models.scene import Beam, BeamSection, Body, Scene
from numpy.typing import NDArray

from sim_worker.model.tree import DisjointSets
from sim_worker.structure.weld_points import cross_matrices
from sim_worker.units import Floats

PARALLEL = 0.9
"""Cosine between the axes of two parts that bend as one: 26 degrees, clearly more than the slope of a chute's floor."""
GLUED_SHARE = 0.5
"""Of the shorter part's length, over which the glue must reach."""


@dataclass(frozen=True)
class BuiltUpBeam:
    """The beam that a part belongs to along one of its axes."""

    beam: Beam
    """Of all members, in the stiffness of the part."""
    members: frozenset[str]
    is_there: NDArray[np.bool_]
    """(k,) whether the part itself is at each section: elsewhere the others are judged."""


def built_up_beam(scene: Scene, points: dict[str, Floats], part: Body, beam: Beam) -> BuiltUpBeam:
    """Return the beam of all parts that are glued to a part along its beam, directly or through each other.

    `points`: those of all welds, by label.
    """
    partners = {body.label: along for body in scene.bodies if (along := _parallel_beam(body, beam)) is not None}
    sets = DisjointSets()
    for weld in scene.welds:
        if weld.face is not None and {weld.first, weld.second} <= set(partners):
            length_mm = min(_length_mm(partners[weld.first]), _length_mm(partners[weld.second]))
            if _reach_mm(points[weld.label], beam) >= GLUED_SHARE * length_mm:
                sets.unite(weld.first, weld.second)
    leader = sets.find(part.label)
    members = frozenset(label for label in partners if sets.find(label) == leader)
    bodies = [body for body in scene.bodies if body.label in members]
    whole = beam if len(members) == 1 else _joined(part, beam, bodies, partners)
    axis = np.array(beam.axis)
    places = np.array([section.center_mm for section in whole.sections]) @ axis
    low, high, _ = _places(beam, axis)
    return BuiltUpBeam(whole, members, (places >= low) & (places <= high))


def _parallel_beam(body: Body, beam: Beam) -> Beam | None:
    if body.strength is None:
        return None
    axis = np.array(beam.axis)
    best = max(body.strength.beams, key=lambda each: abs(float(axis @ np.array(each.axis))))
    return best if abs(float(axis @ np.array(best.axis))) >= PARALLEL else None


def _length_mm(beam: Beam) -> float:
    return beam.end_mm - beam.start_mm


def _reach_mm(points: Floats, beam: Beam) -> float:
    """Return the length of a glued face along a beam; its points are in the middle of equal shares."""
    places = np.unique(np.round(points @ np.array(beam.axis), 6))
    span = float(places[-1] - places[0])
    return span * len(places) / (len(places) - 1) if len(places) > 1 else 0.0


def _joined(part: Body, beam: Beam, bodies: list[Body], partners: dict[str, Beam]) -> Beam:
    """Return one beam of several; at each place, of those members that are there."""
    if part.strength is None:
        raise ValueError(f"{part.label} has no strength")
    own_mpa, axis = part.strength.modulus_mpa, np.array(beam.axis)
    members = [
        (body.strength.modulus_mpa / own_mpa, *_places(partners[body.label], axis), partners[body.label].sections)
        for body in bodies
        if body.strength is not None
    ]
    start_mm, end_mm = min(member[1] for member in members), max(member[2] for member in members)
    count = len(beam.sections)
    places = start_mm + (np.arange(count) + 0.5) * (end_mm - start_mm) / count
    sections: list[BeamSection] = []
    for place in places:
        here = [
            (stiffness, sections_of[int(np.argmin(np.abs(along - place)))])
            for stiffness, low, high, along, sections_of in members
            if low <= place <= high
        ]
        if here:
            sections.append(_section(here, axis, float(place)))
    return Beam(axis=beam.axis, start_mm=start_mm, end_mm=end_mm, sections=tuple(sections))


def _places(beam: Beam, axis: Floats) -> tuple[float, float, Floats]:
    """Return first and last position of a beam along an axis, and the positions of its sections."""
    along = np.array([section.center_mm for section in beam.sections]) @ axis
    half = _length_mm(beam) / len(beam.sections) / 2
    return float(along.min()) - half, float(along.max()) + half, along


def _section(members: list[tuple[float, BeamSection]], axis: Floats, place: float) -> BeamSection:
    """Return the section of members with relative stiffness, by the parallel axis theorem."""
    stiffness = np.array([each for each, _ in members])
    areas = stiffness * [section.area_mm2 for _, section in members]
    flat = np.eye(3) - np.outer(axis, axis)
    centers = np.array([section.center_mm for _, section in members]) @ flat
    center = areas @ centers / areas.sum()
    offsets = centers - center
    own_axes = np.array([section.axes for _, section in members])
    own_moments = np.array([section.second_moments_mm4 for _, section in members])
    rows = own_axes.reshape(-1, 3)
    tensor = rows.T @ ((stiffness[:, None] * own_moments).reshape(-1, 1) * rows)
    tensor += (areas @ (offsets**2).sum(axis=1)) * flat - offsets.T @ (areas[:, None] * offsets)
    moments, columns = np.linalg.eigh(flat @ tensor @ flat)
    along = int(np.argmax(np.abs(axis @ columns)))
    weak, strong = (index for index in range(3) if index != along)
    across = own_moments / [section.moduli_mm3 for _, section in members]
    extents = _extents(own_axes, across, offsets, cross_matrices(axis) @ columns[:, [weak, strong]])
    thinnest = min((section for _, section in members), key=lambda section: section.wall_mm / section.width_mm)
    return BeamSection(
        center_mm=_vector(center + place * axis),
        area_mm2=float(areas.sum()),
        wall_mm=thinnest.wall_mm,
        width_mm=thinnest.width_mm,
        axes=(_vector(columns[:, weak]), _vector(columns[:, strong])),
        second_moments_mm4=(float(moments[weak]), float(moments[strong])),
        moduli_mm3=(float(moments[weak]) / extents[0], float(moments[strong]) / extents[1]),
    )


def _extents(axes: Floats, across: Floats, offsets: Floats, directions: Floats) -> tuple[float, float]:
    """Return the largest distances of `m` sections from two axes through the common centre.

    `axes` (m, 2, 3), `across` (m, 2) extents across them, `offsets` (m, 3) from the common centre; `directions` (3, 2),
    across the common axes.
    """
    cosines = np.abs(axes @ directions)
    first, second = (np.abs(offsets @ directions) + (across[:, ::-1, None] * cosines).sum(axis=1)).max(axis=0)
    return float(first), float(second)


def _vector(values: Floats) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
