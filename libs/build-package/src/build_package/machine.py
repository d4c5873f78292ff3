"""A machine as it is delivered: what its build package is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from build123d import Solid
from contracts.models.design import BillLine, BillOfMaterials
from contracts.models.label import file_name
from contracts.models.mechanism import Mechanism
from contracts.models.scene import Scene
from geometry.assembly.steps import AssemblyStep
from geometry.occt.measures import bounding_box
from parts_catalog.materials import MATERIALS, Material
from parts_catalog.methods.workshop_figures import ToleranceClass
from workbenches.part_mesh import PartMesh

from build_package.control.circuit import Circuit, circuit_of
from build_package.motor_fronts import MotorFront
from build_package.screw_holes import DrilledPart
from build_package.teeth.meshes import ToothMesh
from build_package.teeth.solids import ToothedPart

TEETH = "teeth"
"""In place of a catalog id, in the bill's lines for the teeth of made wheels and racks."""


@dataclass(frozen=True, eq=False)
class MadePart:
    """One kind of made part: a solid that is made once or several times."""

    solid: Solid
    """The first piece, in its place in the machine."""
    lines: tuple[BillLine, ...]
    """A line of the bill for each piece."""
    tolerance_class: ToleranceClass
    step_file: bytes
    """The solid as it is delivered, as STEP."""
    toothed: ToothedPart | None = None
    """With its teeth, if it has any: then it is a kind of its own."""
    drilled: DrilledPart | None = None
    """With the holes of its screws, if it has any: then it is a kind of its own, too."""
    equal: int | None = None
    """Pieces of the machine that were priced as equal ones, if not its own lines alone."""

    @cached_property
    def mesh(self) -> PartMesh:
        """The designed surface, with the axes along which it is clamped, printed or moulded."""
        return PartMesh.of(self.solid)

    @cached_property
    def drawn_mesh(self) -> PartMesh:
        """What drawings show: of a part with teeth its blank."""
        return PartMesh.of(self.toothed.blank) if self.toothed is not None else PartMesh.of(self.delivered)

    @property
    def delivered(self) -> Solid:
        """The solid of its files, with teeth and the holes of screws."""
        if self.toothed is not None:
            return self.toothed.solid
        return self.solid if self.drilled is None else self.drilled.solid

    @property
    def ordered(self) -> int:
        """Equal pieces of one machine, whose price shares set-ups."""
        return self.equal or len(self.lines)

    @property
    def line(self) -> BillLine:
        """The bill's line of the first piece."""
        return self.lines[0]

    @property
    def label(self) -> str:
        """Label of the first piece."""
        return self.line.label

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of all pieces."""
        return tuple(each.label for each in self.lines)

    @property
    def file_name(self) -> str:
        """What the names of its files begin with."""
        return file_name(self.label)

    @property
    def material(self) -> Material:
        """What it is made of."""
        return MATERIALS[self.line.material_id]


@dataclass(frozen=True, eq=False)
class Machine:
    """A delivered machine: parts, bill, joints and the order in which it is put together."""

    title: str
    run: str
    """Id of the run that designed it, for title blocks."""
    bill: BillOfMaterials
    made: tuple[MadePart, ...]
    """One for each kind of made part."""
    solids: Mapping[str, Solid]
    """Every part by its label, made or bought, in its place in the machine; with its teeth."""
    catalog_ids: Mapping[str, str]
    """Of bought parts, by label."""
    mechanism: Mechanism
    scene: Scene
    """What is simulated: the machine with its masses and joints, in its environment."""
    assembly: tuple[AssemblyStep, ...]
    teeth_mm: Mapping[str, float] = field(default_factory=dict[str, float])
    """Length of the pitch line of the teeth of made parts that need them, by label."""
    tooth_meshes: tuple[ToothMesh, ...] = ()
    fronts: tuple[MotorFront, ...] = ()
    """Of its motors, whose solids are plain housings."""
    undrawn: Mapping[str, str] = field(default_factory=dict[str, str])
    """Why teeth of made parts are not drawn, by label; the reason continues after the part's name."""

    @cached_property
    def outlines(self) -> Mapping[str, Solid]:
        """Its solids, with the blanks of those with teeth in their place."""
        blanks = {part.label: part.toothed.blank for part in self.made if part.toothed is not None}
        return {**self.solids, **blanks}

    @cached_property
    def delivered(self) -> Mapping[str, Solid]:
        """Its solids, motors with their fronts."""
        return {**self.solids, **{front.label: front.solid(self.solids[front.label]) for front in self.fronts}}

    @cached_property
    def circuit(self) -> Circuit | None:
        """Power and control of its own motors; None without any."""
        boxes = {label: box for label, solid in self.solids.items() if (box := bounding_box(solid)) is not None}
        drives = {drive.label: drive.pinion_radius_mm for drive in self.scene.drives}
        radii = {label: radius for label, radius in drives.items() if radius is not None}
        return circuit_of(self.mechanism, self.catalog_ids, boxes, radii)
