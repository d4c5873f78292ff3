"""The parts of a scene whose strength is judged, and their stress, buckling and deflection from readings."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np
from contracts.criteria import FLEXIBLE_SHARE
from contracts.models.geometry import Vector
from contracts.models.scene import Body, LoadedJoint, Scene, SolidStress, Strength
from numpy.typing import NDArray
from parts_catalog.materials import MATERIALS
from parts_catalog.strength import creep_share, cyclic_share, safety

from sim_worker.model.sensor_layout import SensorLayout
from sim_worker.model.tree import KinematicTree, WeldGroups
from sim_worker.run.readings import Readings
from sim_worker.structure.beam_model import BeamModel
from sim_worker.structure.beds import Bed, Beds
from sim_worker.structure.built_up_beams import BuiltUpBeam, built_up_beam
from sim_worker.structure.cut_loads import PartCuts
from sim_worker.structure.section_loads import PointLoad, SectionLoads, crossed
from sim_worker.structure.supports import Support, free_shares, supports_of
from sim_worker.structure.weld_points import WeldPoints
from sim_worker.units import Floats, metres, metres_each, millimetres_each


@dataclass(frozen=True)
class BodyFrame:
    """The frame of a body: its rotation since the start, and the place of its centre of mass."""

    moving: int | None
    """Index among the moving bodies; None: it never moves."""
    center_m: Floats
    """(3,), at the start."""

    @classmethod
    def of(cls, body: Body, layout: SensorLayout) -> "BodyFrame":
        """Return the frame of a body; the centre of one without mass is the world's origin."""
        center: Vector = (0.0, 0.0, 0.0) if body.mass is None else body.mass.center_mm
        moving = layout.moving.index(body.label) if body.label in layout.moving else None
        return cls(moving, np.array(metres_each(center)))

    def turned(self, readings: Readings, vectors: Floats) -> Floats:
        """Return vectors (n, 3), given as at the start, in the world."""
        return vectors if self.moving is None else _rotated(readings.moving_quaternion[:, self.moving], vectors)

    def turned_back(self, readings: Readings, vectors: Floats) -> Floats:
        """Return vectors (n, 3) of the world as at the start."""
        if self.moving is None:
            return vectors
        return _rotated(readings.moving_quaternion[:, self.moving] * [1.0, -1.0, -1.0, -1.0], vectors)

    def places_m(self, readings: Readings) -> Floats:
        """Return (n, 3) places of the centre of mass."""
        if self.moving is None:
            return np.broadcast_to(self.center_m, (len(readings.time_s), 3))
        return readings.moving_position_m[:, self.moving]


@dataclass(frozen=True)
class JointSide:
    """A joint as a load on a part."""

    column: int
    """Among the joints of the scene."""
    frame: BodyFrame
    """Of the body at which the load is measured."""
    arm_m: Floats
    """(3,) from that body's centre to the anchor, at the start."""
    axes: Floats
    """(3, 3), axes of the measurement, one a row."""
    sign: float
    """1 for that body, -1 for the one on the other side."""
    housed: Floats
    """(drives, 6): what the joint transmits for each N m of a motor that the motor's housing bears, not this part."""


@dataclass(frozen=True)
class Yield:
    """How far a part gives way at `n` instants, each by its worst section."""

    buckling: Floats
    """Compression over what it bears."""
    deflection_mm: Floats
    max_deflection_mm: Floats
    """Of the beam whose deflection is the greatest share of its limit."""


@dataclass(frozen=True)
class Member:
    """A part as a source of loads on a beam: by its contacts and joints."""

    label: str
    frame: BodyFrame
    joints: list[JointSide]

    def loads(self, readings: Readings) -> list[PointLoad]:
        """Return what acts on the part besides its welds."""
        contact = readings.contact_load(self.label)
        loads = [self._joint(readings, side) for side in self.joints]
        if contact[:, :6].any():
            placed = self._placed(readings, contact[:, 6:], -contact[:, :3], -contact[:, 3:6])
            loads.append(replace(placed, is_contact=True))
        return loads

    def _joint(self, readings: Readings, side: JointSide) -> PointLoad:
        motors = readings.drive_torque_n_m @ side.housed
        loads = side.sign * (readings.joint_loads[:, side.column] - motors)
        count = len(loads)
        point_m = side.frame.places_m(readings) + side.frame.turned(readings, np.tile(side.arm_m, (count, 1)))
        force = side.frame.turned(readings, loads[:, :3] @ side.axes)
        moment = side.frame.turned(readings, loads[:, 3:] @ side.axes)
        return self._placed(readings, point_m, force, moment)

    def _placed(self, readings: Readings, point_m: Floats, force: Floats, moment_n_m: Floats) -> PointLoad:
        """Return a load, given in the world, on the part as it is at the start."""
        arm_m = self.frame.turned_back(readings, point_m - self.frame.places_m(readings))
        return PointLoad(
            points_mm=millimetres_each(self.frame.center_m + arm_m),
            forces=self.frame.turned_back(readings, force),
            moments=millimetres_each(self.frame.turned_back(readings, moment_n_m)),
        )


@dataclass(frozen=True)
class AppliedLoads:
    """All that acts on the parts at `n` instants."""

    welds: Floats
    """(n, judged welds, 6)"""
    points: dict[str, list[PointLoad]]
    """By part."""

    def at(self, row: int) -> "AppliedLoads":
        """Return the loads of one instant."""
        points = {label: [each.at(row) for each in loads] for label, loads in self.points.items()}
        return AppliedLoads(self.welds[row : row + 1], points)

    def added(self, row: int, earlier: int) -> "AppliedLoads":
        """Return what has been added at one instant since an earlier one."""
        points = {
            label: [each.at(row).minus(each.at(earlier)) for each in loads] for label, loads in self.points.items()
        }
        return AppliedLoads(self.welds[row : row + 1] - self.welds[earlier : earlier + 1], points)

    def plus(self, other: "AppliedLoads", times: float) -> "AppliedLoads":
        """Return these loads and others that have grown so many times, which act where the others do."""
        points = {
            label: [each.plus(more, times) for each, more in zip(loads, other.points[label], strict=True)]
            for label, loads in self.points.items()
        }
        return AppliedLoads(self.welds + times * other.welds, points)


@dataclass(frozen=True)
class LoadedBeam:
    """A beam of one or several parts, and everything that acts on them from outside."""

    model: BeamModel
    loads: SectionLoads
    welds: list[int]
    """Columns among the judged welds."""
    members: list[str]
    is_there: NDArray[np.bool_]
    """(k,) sections at which the part itself is."""
    free: Floats
    """(k,) share of each slice beside which no glued face is: another part stiffens the rest."""
    bed: Bed | None
    """None if they do not lie on the ground along the beam."""

    def stress_mpa(self, loads: AppliedLoads) -> Floats:
        """Return (n,) largest stresses."""
        forces, moments = self._internal(loads)
        return self.model.stresses_mpa(forces, moments)[:, self.is_there].max(axis=1, initial=0.0)

    def yields(self, loads: AppliedLoads) -> Yield:
        """Return how far it gives way."""
        forces, moments = self._internal(loads)
        deflections: Floats = self.model.deflections_mm(moments)[:, self._nodes].max(axis=1, initial=0.0)
        return Yield(
            buckling=self.model.buckling_uses(forces)[:, self.is_there].max(axis=1, initial=0.0),
            deflection_mm=deflections,
            max_deflection_mm=np.full(len(deflections), FLEXIBLE_SHARE * self.model.length_mm),
        )

    def energy_n_mm(self, loads: AppliedLoads) -> float:
        """Return the elastic energy at one instant."""
        forces, moments = self._internal(loads)
        return self.model.energy_n_mm(forces[0], moments[0], self.free)

    @cached_property
    def _nodes(self) -> NDArray[np.bool_]:
        """(k + 2,) ends and sections at which the part itself is."""
        return np.concatenate([self.is_there[:1], self.is_there, self.is_there[-1:]])

    def _internal(self, loads: AppliedLoads) -> tuple[Floats, Floats]:
        points = [load for label in self.members for load in loads.points[label]]
        welds = loads.welds[:, self.welds]
        return self.loads.at(*((welds, points) if self.bed is None else self.bed.passed_on(welds, points)))


@dataclass(frozen=True)
class PartModel:
    """One part of the design."""

    label: str
    strength: Strength
    member: Member
    beams: list[LoadedBeam]
    cuts: PartCuts
    margin: float = 1.0
    """Times the admissible stress, above which it breaks: 1, or the safety that the admissible stress contains."""

    def in_replicas(self) -> "PartModel":
        """Return the part as replicas judge it: they are the scatter for which the admissible stress has its safety."""
        return replace(self, margin=safety(MATERIALS[self.strength.material_id]))

    @property
    def limit_mpa(self) -> float:
        """Stress above which it counts as broken."""
        return self.margin * self.strength.max_stress_mpa

    @property
    def blow_limit_mpa(self) -> float:
        """The same at the peak of a blow."""
        return max(self.limit_mpa, self.strength.max_blow_mpa or 0.0)

    @property
    def solid_share(self) -> float:
        """Stress by finite elements over that by beams, cuts and plates; 1 if the part was not analysed."""
        return 1.0 if self.strength.solid is None else self.strength.solid.share

    def corrected(self, solid: SolidStress | None) -> "PartModel":
        """Return the part with what finite elements found about it, if they did."""
        return self if solid is None else replace(self, strength=self.strength.model_copy(update={"solid": solid}))

    @property
    def cyclic_mpa(self) -> float:
        """Stress that it bears in every cycle; infinite for a part that rests."""
        share = cyclic_share(MATERIALS[self.strength.material_id])
        return inf if self.member.frame.moving is None else share * self.strength.max_stress_mpa

    @property
    def creep_mpa(self) -> float:
        """Stress above which it creeps under a constant load; infinite for metals."""
        return creep_share(MATERIALS[self.strength.material_id]) * self.strength.max_stress_mpa

    def stress_mpa(self, loads: AppliedLoads) -> Floats:
        """Return (n,) largest stresses at each of the instants, by the worst beam."""
        stresses: Floats = np.max([beam.stress_mpa(loads) for beam in self.beams], axis=0)
        return self.solid_share * stresses

    def energy_n_mm(self, loads: AppliedLoads) -> float:
        """Return the elastic energy of the part, and of those that bend with it, at one instant."""
        return sum(beam.energy_n_mm(loads) for beam in self.beams)

    def cut_stresses_mpa(self, loads: AppliedLoads) -> Floats:
        """Return (n, cuts) stresses at its weakest cuts."""
        return self.solid_share * self.cuts.stresses_mpa(loads.welds, loads.points[self.label])

    def rests_at(self, place_mm: Floats, force: Floats) -> bool:
        """Tell whether a force (3,) at a place (3,) goes straight through the part to the ground on which it lies."""
        return any(beam.bed is not None and beam.bed.takes(place_mm, force) for beam in self.beams)

    def yields(self, loads: AppliedLoads) -> Yield:
        """Return how far it gives way at each of the instants, by the worst beam."""
        return _worst([beam.yields(loads) for beam in self.beams])


def applied_loads(parts: tuple[PartModel, ...], readings: Readings) -> AppliedLoads:
    """Return what acts on all parts of a scene at the `n` instants of readings."""
    return AppliedLoads(readings.weld_loads, {part.label: part.member.loads(readings) for part in parts})


def part_models(scene: Scene, layout: SensorLayout) -> tuple[PartModel, ...]:
    """Return the parts with a strength."""
    judged = [body for body in scene.bodies if body.strength is not None and body.label in layout.contact_loads]
    if not judged:
        return ()
    frames = {body.label: BodyFrame.of(body, layout) for body in scene.bodies}
    tree = KinematicTree.of(scene)
    measured_at = {node.link.label: node.body.label for node in tree.nodes if isinstance(node.link, LoadedJoint)}
    models = _PartModels(scene, layout)
    return tuple(
        models.part(body, Member(body.label, frames[body.label], _joint_sides(scene, body.label, measured_at, frames)))
        for body in judged
    )


class _PartModels:
    """Builds the models of parts; what several beams share is calculated once."""

    def __init__(self, scene: Scene, layout: SensorLayout) -> None:
        self._scene, self._judged = scene, layout.judged_welds
        self._welds = {weld.label: WeldPoints.of(weld) for weld in scene.welds}
        self._points = {label: weld.points_mm for label, weld in self._welds.items()}
        self._beds = Beds(scene)
        self._supports: dict[frozenset[str], list[Support]] = {}

    def part(self, body: Body, member: Member) -> PartModel:
        if body.strength is None:
            raise ValueError(f"{body.label} has no strength")
        built_up = [built_up_beam(self._scene, self._points, body, beam) for beam in body.strength.beams]
        beams = [self._loaded_beam(each, body.strength.modulus_mpa) for each in built_up]
        cuts = PartCuts.of(body, self._judged, self._welds)
        return PartModel(body.label, body.strength, member, beams, cuts)

    def _loaded_beam(self, built_up: BuiltUpBeam, modulus_mpa: float) -> LoadedBeam:
        inside = built_up.members
        columns = [
            index for index, weld in enumerate(self._judged) if (weld.first in inside) != (weld.second in inside)
        ]
        welds = [self._judged[index] for index in columns]
        signs = np.array([1.0 if weld.first in inside else -1.0 for weld in welds])
        return LoadedBeam(
            model=BeamModel.of(built_up.beam, modulus_mpa, self._supports_of(inside)),
            loads=SectionLoads.of(built_up.beam, [self._welds[weld.label] for weld in welds], signs),
            welds=columns,
            members=sorted(inside),
            is_there=built_up.is_there,
            free=free_shares(built_up.beam, [self._points[weld.label] for weld in welds if weld.face is not None]),
            bed=self._beds.of(inside, welds, np.array(built_up.beam.axis)),
        )

    def _supports_of(self, members: frozenset[str]) -> list[Support]:
        if members not in self._supports:
            self._supports[members] = supports_of(self._scene, self._points, members)
        return self._supports[members]


def _joint_sides(
    scene: Scene, label: str, measured_at: dict[str, str], frames: dict[str, BodyFrame]
) -> list[JointSide]:
    return [
        _joint_side(scene, column, label, measured_at[joint.label], frames)
        for column, joint in enumerate(scene.joints)
        if label in (joint.parent, joint.child)
    ]


def _joint_side(scene: Scene, column: int, label: str, at: str, frames: dict[str, BodyFrame]) -> JointSide:
    joint = scene.joints[column]
    return JointSide(
        column=column,
        frame=frames[at],
        arm_m=np.array(metres_each(joint.anchor_mm)) - frames[at].center_m,
        axes=_axes_about(np.array(joint.axis)),
        sign=1.0 if label == at else -1.0,
        housed=_housed(scene, joint, label) * (1.0 if at == joint.child else -1.0),
    )


def _housed(scene: Scene, joint: LoadedJoint, label: str) -> Floats:
    """Return (drives, 6) loads of a joint on its child for each N m of the motors that sit on the part's side of it."""
    groups, housed = WeldGroups.of_scene(scene), np.zeros((len(scene.drives), 6))
    for row, drive in enumerate(scene.drives):
        side = joint.child if groups.of(drive.label) == groups.of(joint.child) else joint.parent
        if drive.joint != joint.label or side != label:
            continue
        if drive.pinion_radius_mm is None:
            housed[row, 5] = 1.0
        else:
            housed[row, 2] = 1.0 / metres(drive.pinion_radius_mm)
    return housed


def _axes_about(axis: Floats) -> Floats:
    """Return the axes (3, 3), one a row, that the shortest turn from z to an axis gives: those of the joint's site."""
    x, y, z = axis / np.linalg.norm(axis)
    quaternion = np.array([1.0 + z, -y, x, 0.0]) if z > -1.0 else np.array([0.0, 1.0, 0.0, 0.0])
    return _rotated(np.tile(quaternion / np.linalg.norm(quaternion), (3, 1)), np.eye(3))


def _worst(found: list[Yield]) -> Yield:
    """Return the greatest buckling, and the deflection that is the greatest share of its limit."""
    if len(found) == 1:
        return found[0]
    deflections = np.array([each.deflection_mm for each in found])
    limits = np.array([each.max_deflection_mm for each in found])
    worst = np.argmax(deflections / limits, axis=0)[None]
    return Yield(
        buckling=np.max([each.buckling for each in found], axis=0),
        deflection_mm=np.take_along_axis(deflections, worst, axis=0)[0],
        max_deflection_mm=np.take_along_axis(limits, worst, axis=0)[0],
    )


def _rotated(quaternion: Floats, vectors: Floats) -> Floats:
    """Return vectors (n, 3) turned by quaternions (n, 4), w first, of any length but 0."""
    unit = quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)
    scalar, axis = unit[:, :1], unit[:, 1:]
    twice = 2 * crossed(axis, vectors)
    turned: Floats = vectors + scalar * twice + crossed(axis, twice)
    return turned
