"""Machines of made parts, as the judge hands them to the build package, and its files."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from build123d import Solid
from build123d.topology import Shape
from build_package.machine import Machine, MadePart
from build_package.package import build_package
from cad_worker.exports.colors import finish_of
from cad_worker.exports.step import part_step
from contracts.models.design import BillLine, BillOfMaterials, HardwareLine, Method
from contracts.models.mechanism import Mechanism
from design_rules.bodies.solid_bodies import Part
from geometry.assembly.steps import AssemblyStep
from geometry.occt.measures import bounding_box
from parts_catalog.materials import MATERIALS
from parts_catalog.pricing.infill import made_mass_kg

from tests.sim_worker.scenes import machine_scene

RUN = "0b5f1c9e-3d52-5a41-9d0e-6a1c2f3b4d5e"


@dataclass(frozen=True)
class Made:
    """A part to be made."""

    label: str
    shape: Shape[Any]
    method: Method = "cnc"
    material: str = "aluminum-6061"

    @property
    def solid(self) -> Solid:
        (solid,) = self.shape.solids()
        return solid

    @property
    def line(self) -> BillLine:
        """The line of the bill."""
        volume, box = self.solid.volume, bounding_box(self.solid)
        assert box is not None
        mass = made_mass_kg(MATERIALS[self.material], self.method, volume, self.solid.area)
        return BillLine(
            label=self.label,
            method=self.method,
            material_id=self.material,
            volume_mm3=volume,
            mass_kg=mass,
            unit_price_usd=1.0,
            box=box,
        )

    @property
    def part(self) -> MadePart:
        """The part with its STEP file."""
        body = Part(self.label, self.solid, MATERIALS[self.material])
        step = part_step(body, finish_of(self.material, self.label))
        return MadePart(self.solid, (self.line,), "medium", step)


def machine_of(
    parts: Sequence[Made],
    mechanism: Mechanism | None = None,
    steps: tuple[AssemblyStep, ...] = (),
    hardware: tuple[HardwareLine, ...] = (),
) -> Machine:
    """Return a machine of these parts."""
    lines = tuple(each.line for each in parts)
    mass = sum(line.mass_kg for line in lines)
    bill = BillOfMaterials(lines=lines, hardware=hardware, quantity=1, unit_price_usd=len(lines), mass_kg=mass)
    made, solids = tuple(each.part for each in parts), {each.label: each.solid for each in parts}
    return Machine("a test, seed 0", RUN, bill, made, solids, {}, mechanism or Mechanism(), machine_scene(), steps)


def files_of(*parts: Made) -> dict[str, bytes]:
    """Return the build package of a machine of these parts."""
    return build_package(machine_of(parts))
