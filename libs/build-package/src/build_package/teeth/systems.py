"""Tooth systems: one module for all that meshes, and whole numbers of teeth as near to the pitch radii as possible."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor, pi

import numpy as np

from build_package.teeth.meshes import MeshRack, MeshWheel, ToothMesh

MODULE_MM = 1.0
"""[E] of most gears in the catalog."""
LEAST_TEETH = 14
"""Of a wheel: fewer teeth of full depth and 20 degrees are undercut until they carry badly."""
ADDENDUM, DEDENDUM = 1.0, 1.25
"""Of the module: height of a tooth above its pitch line, and depth of a gap below it (ISO 53)."""
MODULE_SHARES = np.linspace(0.8, 1.25, 91)
"""Of the module that would be chosen for one wheel, among which two wheels find the one that fits both."""
NEAR_MM = 1e-3
"""Between pitch radii that are as good as equal: then the module nearest to the usual one is taken."""


@dataclass(frozen=True)
class ToothSystem:
    """Module and number of teeth of a wheel or rack. A wheel's pitch radius is half of their product."""

    module_mm: float
    teeth: int

    @property
    def pitch_mm(self) -> float:
        """Pitch radius of a wheel."""
        return self.module_mm * self.teeth / 2

    @property
    def tip_mm(self) -> float:
        """Radius of a wheel's tips."""
        return self.pitch_mm + ADDENDUM * self.module_mm

    @property
    def step_mm(self) -> float:
        """From tooth to tooth along the pitch line."""
        return self.module_mm * pi


def tooth_systems(meshes: Sequence[ToothMesh]) -> dict[str, ToothSystem]:
    """Return the teeth of all wheels and racks in mesh, by label."""
    found: dict[str, ToothSystem] = {}
    for group in _groups(meshes):
        wheels = _pitch_radii_mm(group)
        bought = {wheel.module_mm for wheel in _wheels(group) if wheel.module_mm is not None}
        module_mm = min(bought) if bought else _module_mm([*wheels.values()])
        found |= {label: ToothSystem(module_mm, _teeth(radius, module_mm)) for label, radius in wheels.items()}
        for mesh in group:
            if isinstance(mesh.other, MeshRack):
                low, high = mesh.other.toothed_mm
                found[mesh.other.label] = ToothSystem(module_mm, max(1, floor((high - low) / (pi * module_mm))))
    return found


def _groups(meshes: Sequence[ToothMesh]) -> Iterator[list[ToothMesh]]:
    """Yield the meshes that hang together: a wheel that meshes twice has one module."""
    left = list(meshes)
    while left:
        group = [left.pop(0)]
        labels = _labels(group[0])
        while linked := [mesh for mesh in left if labels & _labels(mesh)]:
            group += linked
            labels |= {label for mesh in linked for label in _labels(mesh)}
            left = [mesh for mesh in left if mesh not in linked]
        yield group


def _labels(mesh: ToothMesh) -> set[str]:
    return {mesh.wheel.label, mesh.other.label}


def _wheels(meshes: Sequence[ToothMesh]) -> Iterator[MeshWheel]:
    for mesh in meshes:
        yield mesh.wheel
        if isinstance(mesh.other, MeshWheel):
            yield mesh.other


def _pitch_radii_mm(meshes: Sequence[ToothMesh]) -> Mapping[str, float]:
    """Return the pitch radius of each wheel, the mean over its meshes."""
    radii: dict[str, list[float]] = {}
    for wheel in _wheels(meshes):
        radii.setdefault(wheel.label, []).append(wheel.pitch_mm)
    return {label: sum(each) / len(each) for label, each in radii.items()}


def _module_mm(radii_mm: Sequence[float]) -> float:
    """Return the module by which whole numbers of teeth come nearest to some pitch radii."""
    usual = min(MODULE_MM, 2 * min(radii_mm) / LEAST_TEETH)
    if len(radii_mm) == 1:
        return 2 * radii_mm[0] / _teeth(radii_mm[0], usual)
    modules = [each for each in usual * MODULE_SHARES if _teeth(min(radii_mm), each) >= LEAST_TEETH]
    misses = [max(abs(_teeth(radius, module) * module / 2 - radius) for radius in radii_mm) for module in modules]
    good = [module for module, miss in zip(modules, misses, strict=True) if miss <= min(misses) + NEAR_MM]
    return float(min(good, key=lambda module: abs(module - usual)))


def _teeth(radius_mm: float, module_mm: float) -> int:
    return max(1, round(2 * radius_mm / module_mm))
