"""Phases: where the teeth of wheels and racks are, so that those in mesh stand in each other's gaps."""

from collections.abc import Mapping, Sequence
from math import atan2

import numpy as np
from geometry.arrays import FloatArray

from build_package.teeth.meshes import MeshRack, MeshWheel, ToothMesh
from build_package.teeth.systems import ToothSystem


def phases(meshes: Sequence[ToothMesh], systems: Mapping[str, ToothSystem]) -> dict[str, float]:
    """Return by label where the middle of a tooth is: of a wheel in rad about its axis from its `start_direction`, of a
    rack in mm along its travel from the world's origin. The first wheel of each train has a tooth at 0."""
    found: dict[str, float] = {}
    left = list(meshes)
    while left:
        mesh = next((each for each in left if {each.wheel.label, each.other.label} & found.keys()), left[0])
        left.remove(mesh)
        wheel, other = mesh.wheel, mesh.other
        if wheel.label not in found and other.label in found:
            found[wheel.label] = (
                _wheel_phase(wheel, other, found[other.label], systems)
                if isinstance(other, MeshRack)
                else _phase_in_gap(other, wheel, found[other.label], systems)
            )
            continue
        found.setdefault(wheel.label, 0.0)
        if other.label not in found:
            found[other.label] = (
                _rack_phase(wheel, other, found[wheel.label], systems)
                if isinstance(other, MeshRack)
                else _phase_in_gap(wheel, other, found[wheel.label], systems)
            )
    return found


def start_direction(axis: FloatArray) -> FloatArray:
    """Return a unit vector (3,) at right angles to an axis, from which angles about it count."""
    side = np.eye(3)[int(np.argmin(np.abs(axis)))]
    across: FloatArray = side - (side @ axis) * axis
    return across / np.linalg.norm(across)


def _phase_in_gap(one: MeshWheel, other: MeshWheel, phase: float, systems: Mapping[str, ToothSystem]) -> float:
    """Return the phase of the second wheel: where they meet, it has a gap for each tooth of the first."""
    axis, other_axis = np.array(one.axis), np.array(other.axis)
    apart = np.array(other.center_mm) - np.array(one.center_mm)
    towards = apart - (apart @ axis) * axis
    towards /= np.linalg.norm(towards)
    offset_mm = _past_contact_mm(axis, towards, phase, systems[one.label]) + systems[one.label].step_mm / 2
    sense = 1.0 if float(axis @ other_axis) > 0 else -1.0
    return _angle(other_axis, -towards) - sense * offset_mm / systems[other.label].pitch_mm


def _rack_phase(wheel: MeshWheel, rack: MeshRack, phase: float, systems: Mapping[str, ToothSystem]) -> float:
    system, outwards = systems[wheel.label], np.array(rack.outwards)
    offset_mm = _past_contact_mm(np.array(wheel.axis), outwards, phase, system) + system.step_mm / 2
    return float(np.array(wheel.center_mm) @ np.array(rack.along)) + _sense(wheel, rack) * offset_mm


def _wheel_phase(wheel: MeshWheel, rack: MeshRack, phase: float, systems: Mapping[str, ToothSystem]) -> float:
    """Return the phase of a further wheel on a rack whose teeth another wheel has set."""
    system = systems[wheel.label]
    past_mm = (phase - float(np.array(wheel.center_mm) @ np.array(rack.along))) * _sense(wheel, rack)
    turned = (past_mm - system.step_mm / 2) / system.pitch_mm
    return _angle(np.array(wheel.axis), np.array(rack.outwards)) + turned


def _past_contact_mm(axis: FloatArray, towards: FloatArray, phase: float, system: ToothSystem) -> float:
    """Return how far a wheel's tooth is past the place where it meshes, along its pitch circle as it turns forwards."""
    return (phase - _angle(axis, towards)) * system.pitch_mm


def _sense(wheel: MeshWheel, rack: MeshRack) -> float:
    """Return whether the rim of a wheel that turns forwards moves along the rack (1) or against it (-1)."""
    return 1.0 if float(np.cross(np.array(wheel.axis), np.array(rack.outwards)) @ np.array(rack.along)) > 0 else -1.0


def _angle(axis: FloatArray, direction: FloatArray) -> float:
    start = start_direction(axis)
    return atan2(float(np.cross(start, direction) @ axis), float(start @ direction))
