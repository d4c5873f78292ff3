"""The rule that a machine can be put together: each part reaches its place past those that are there before."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from build123d import GeomType
from build_package.teeth.meshes import ToothMesh
from contracts.models.design import Finding
from contracts.models.geometry import Vector
from geometry.arrays import as_vector
from geometry.assembly.order import AssemblyPart, Screwed, assembly_order, merged
from geometry.assembly.steps import AssemblyStep
from geometry.boxes import are_within
from geometry.collision.results import CollisionGeometry
from geometry.formatting import format_point
from geometry.occt.meshes import closed_mesh
from geometry.occt.surfaces import cylinder_of

from design_rules.bodies.multibody import MultibodySystem, RigidGroups
from design_rules.bodies.placed_screws import is_in, placed_screws
from design_rules.bodies.solid_bodies import EnvironmentSolid, Part, SolidBody
from design_rules.transmission.mates import mates_of

CHORD_MM, ANGLE_RAD = 0.1, 0.3
"""Of the meshes that are compared."""
MOST_SLIDES = 8
"""Directions that the shape of one part suggests."""
ELASTIC = ("tpu-95a",)
"""Materials that give way: such a part is put over others, and locks none."""
DEEP_MM = 2.0
"""A part whose box reaches less far into that of a solid of the environment does not go around it."""
MOST_NAMED = 8


@dataclass(frozen=True)
class Assembly:
    """How a machine is put together, or why it cannot be."""

    findings: tuple[Finding, ...]
    steps: tuple[AssemblyStep, ...] = ()
    """From the first; parts that give way are in none."""


def assembly_of(
    parts: Sequence[Part],
    environment: Sequence[EnvironmentSolid],
    shapes: Mapping[str, CollisionGeometry],
    system: MultibodySystem,
    meshes: Sequence[ToothMesh],
) -> Assembly:
    """Return the order of assembly, and parts that cannot be put in place in any. The parts must not overlap."""
    joined, screwed, mates = _joined(system), _screwed(system), mates_of(system, meshes)
    stiff = {part.label: part for part in parts if part.material is None or part.material.id not in ELASTIC}
    placed = {label: _placed(part, shapes) for label, part in stiff.items() if label in shapes}
    order = assembly_order(list(placed.values()), joined, screwed, mates)
    if order.locked:
        hidden = next((each for each in screwed if _is_hidden(each, order.locked)), None)
        if hidden is not None and not assembly_order(list(placed.values()), joined, mates=mates).locked:
            return Assembly((_unreachable(hidden),))
        locked = [stiff[label] for label in order.locked]
        if not _are_printed_together(locked, system.groups):
            return Assembly((_locked(locked),))
        return Assembly((), _around_printed(order.locked, placed, joined))
    around = (
        _around(part, solid)
        for part, solid in _reaching(list(stiff.values()), environment)
        if {part.label, solid.label} <= shapes.keys()
        and assembly_order([placed[part.label], _placed(solid, shapes)]).locked
    )
    return Assembly(tuple(around), order.steps)


def _joined(system: MultibodySystem) -> list[tuple[str, str]]:
    """Return the pairs of bodies that connections, joints and shafts join."""
    mechanism = system.whole_mechanism
    connections = [(each.first, each.second) for each in (*mechanism.connections, *system.shaft_fits)]
    return [*connections, *((joint.parent, joint.child) for joint in mechanism.joints)]


def _screwed(system: MultibodySystem) -> list[Screwed]:
    """Return the screws of which another part is in the way of the tool, or of the screw itself, with that part."""
    found: list[Screwed] = []
    parts = [body for body in system.bodies.values() if isinstance(body, Part)]
    for connection in system.mechanism.connections:
        if connection.means != "fastened":
            continue
        ends = (connection.first, connection.second)
        own = [label for label in ends if isinstance(system.bodies[label], Part)]
        for body, screw in product(parts, placed_screws(connection)):
            if own and body.label not in ends and is_in(screw.way, body):
                found.append(Screwed(own[0], own[1] if len(own) > 1 else None, body.label))
    return list(dict.fromkeys(found))


def _is_hidden(screwed: Screwed, locked: Sequence[str]) -> bool:
    return {screwed.first, screwed.obstacle} <= {*locked} and screwed.second in (None, *locked)


def _around_printed(
    together: Sequence[str], placed: Mapping[str, AssemblyPart], joined: Sequence[tuple[str, str]]
) -> tuple[AssemblyStep, ...]:
    """Return the steps of a machine in which some parts come out of the printer in each other: as one part."""
    first, *_ = together
    one = merged([placed[label] for label in together])
    rest = [part for label, part in placed.items() if label not in together]

    def named(labels: Sequence[str]) -> tuple[str, ...]:
        return tuple(each for label in labels for each in (together if label == first else (label,)))

    pairs = [tuple(first if each in together else each for each in pair) for pair in joined]
    steps = assembly_order([one, *rest], [(one_end, other) for one_end, other in pairs if one_end != other]).steps
    return tuple(AssemblyStep(named(step.labels), named(step.onto), step.direction) for step in steps)


def _placed(body: SolidBody, shapes: Mapping[str, CollisionGeometry]) -> AssemblyPart:
    mesh = closed_mesh(body.solid, CHORD_MM, ANGLE_RAD)
    return AssemblyPart(body.label, mesh, shapes[body.label].geoms, _slides(body))


def _slides(body: SolidBody) -> tuple[Vector, ...]:
    """Return axes of round faces and directions of straight edges, the longest first."""
    round_faces = [face for face in body.solid.faces() if face.geom_type == GeomType.CYLINDER]
    axes = [(face.area, cylinder_of(face).axis) for face in round_faces]
    straight = [edge for edge in body.solid.edges() if edge.geom_type == GeomType.LINE]
    along = [(edge.length, as_vector(np.array(tuple(edge % 0.5)))) for edge in straight]
    ordered = [axis for _, axis in sorted([*axes, *along], key=lambda each: -each[0])]
    distinct: list[Vector] = []
    for axis in ordered:
        if len(distinct) < MOST_SLIDES and all(abs(float(np.dot(axis, other))) < 0.9999 for other in distinct):
            distinct.append(axis)
    return tuple(distinct)


def _reaching(
    parts: Sequence[Part], environment: Sequence[EnvironmentSolid]
) -> Iterator[tuple[Part, EnvironmentSolid]]:
    """Yield parts that may go around a solid of the environment."""
    for part in parts:
        for solid in environment:
            if are_within(part.bounds, solid.bounds, -DEEP_MM):
                yield part, solid


def _are_printed_together(parts: Sequence[Part], groups: RigidGroups) -> bool:
    """Tell whether parts come out of the printer in each other, as a chain does: of one material, and free to move."""
    made = {(part.method, part.material.id if part.material else None) for part in parts}
    return (
        len(made) == 1
        and parts[0].method == "3d_printing"
        and len({groups.group_of(p.label) for p in parts}) == len(parts)
    )


def _unreachable(screwed: Screwed) -> Finding:
    target = "the environment" if screwed.second is None else screwed.second
    detail = (
        f"{screwed.obstacle} is in the way of screws that join {screwed.first} to {target}, and cannot be put in place "
        "after them: neither screw nor key comes to the heads; turn the screws round, move them, or make a hole of the "
        f"head's width through {screwed.obstacle}"
    )
    return Finding(rule="not_assemblable", label=screwed.obstacle, detail=detail)


def _locked(parts: Sequence[Part]) -> Finding:
    outer = max(parts, key=lambda part: float(np.prod(part.bounds.size_mm)))
    inner = [part for part in parts if part is not outer and _is_inside(part, outer)]
    if len(inner) == len(parts) - 1:
        names = " and ".join(part.label for part in inner[:MOST_NAMED])
        what = (
            f"{names} around {format_point(inner[0].bounds.center_mm)} cannot be put into {outer.label}, which closes"
        )
        fix = f"make {outer.label} of two parts that are joined around it, or leave an opening of its size"
        return Finding(rule="not_assemblable", label=inner[0].label, detail=f"{what} around it on all sides; {fix}")
    names = ", ".join(part.label for part in parts[:MOST_NAMED])
    more = f" and {len(parts) - MOST_NAMED} more" if len(parts) > MOST_NAMED else ""
    detail = (
        f"{names}{more} lock each other around {format_point(parts[0].bounds.center_mm)}: none of them can be moved "
        "out from among the others, so that there is no order in which they can be put together; split one into parts "
        "that are joined around the others, or leave an opening"
    )
    return Finding(rule="not_assemblable", label=parts[0].label, detail=detail)


def _is_inside(part: Part, outer: Part) -> bool:
    low, high = part.bounds, outer.bounds
    return all(high.min_mm[axis] <= low.min_mm[axis] and low.max_mm[axis] <= high.max_mm[axis] for axis in range(3))


def _around(part: Part, solid: EnvironmentSolid) -> Finding:
    detail = (
        f"{part.label} around {format_point(part.bounds.center_mm)} goes around {solid.label} of the environment, "
        "which is there before it, and cannot be put in place; make it of two parts that are joined around it, or "
        "leave an opening"
    )
    return Finding(rule="not_assemblable", label=part.label, detail=detail)
