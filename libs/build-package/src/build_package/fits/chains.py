"""Tolerance stacks: how far two parts may come from where they are drawn, along the parts that lie between them."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

from geometry.occt.measures import bounding_box
from parts_catalog.hardware import fastener

from build_package.fits.tolerances import tolerance_mm
from build_package.machine import Machine
from build_package.screw_holes import CLEARANCE_MM

GLUED_MM, GUIDED_MM = 0.1, 0.1
"""[E] plus or minus: where a part is put by hand into glue, and the play of a sleeve or slide."""


@dataclass(frozen=True)
class ToleranceStack:
    """A chain of parts from one to another, with what each link adds, plus or minus."""

    labels: tuple[str, ...]
    """From the first part to the second."""
    links_mm: tuple[float, ...]

    @property
    def worst_mm(self) -> float:
        """All at their limits to the same side."""
        return sum(self.links_mm)

    @property
    def likely_mm(self) -> float:
        """The root of the sum of squares: links that differ by chance."""
        return sqrt(sum(each**2 for each in self.links_mm))


def stack_of(machine: Machine, first: str, second: str) -> ToleranceStack:
    """Return the stack along the fewest joints between two parts; the site's own solids are exact.

    The outer parts add half the tolerance of their longest side, those between the whole, and each joint its own.
    """
    joints = _joints_mm(machine)
    labels = _fewest(joints, first, second)
    made = {label: part for part in machine.made for label in part.labels}
    links: list[float] = []
    for label in labels:
        solid = machine.solids.get(label)
        box = None if solid is None else bounding_box(solid)
        if box is not None:
            share = 0.5 if label in (first, second) else 1.0
            links.append(share * tolerance_mm(made.get(label), max(box.size_mm)))
    links += [joints.get(one, {}).get(other, 0.0) for one, other in pairwise(labels)]
    return ToleranceStack(labels, tuple(links))


def _joints_mm(machine: Machine) -> dict[str, dict[str, float]]:
    """Return by label what the joint to each neighbour adds."""
    found: dict[str, dict[str, float]] = {}
    for one, other, play_mm in _pairs_mm(machine):
        found.setdefault(one, {}).setdefault(other, play_mm)
        found.setdefault(other, {}).setdefault(one, play_mm)
    return found


def _pairs_mm(machine: Machine) -> Iterator[tuple[str, str, float]]:
    for each in machine.mechanism.connections:
        play_mm = GLUED_MM
        if each.fastener_id is not None:
            diameter_mm = fastener(each.fastener_id).diameter_mm
            play_mm = (CLEARANCE_MM[diameter_mm] - diameter_mm) / 2
        yield each.first, each.second, play_mm
    for joint in machine.mechanism.joints:
        yield joint.parent, joint.child, GUIDED_MM
    for motor in machine.mechanism.motors:
        if motor.pinion is not None:
            yield motor.part, motor.pinion, 0.0


def _fewest(joints: Mapping[str, Mapping[str, float]], first: str, second: str) -> tuple[str, ...]:
    """Return the labels along the fewest joints; the two alone where nothing connects them."""
    before: dict[str, str] = {first: first}
    queue = deque([first])
    while queue and second not in before:
        label = queue.popleft()
        for other in joints.get(label, {}):
            if other not in before:
                before[other] = label
                queue.append(other)
    if second not in before:
        return (first, second)
    labels = [second]
    while labels[-1] != first:
        labels.append(before[labels[-1]])
    return tuple(reversed(labels))
