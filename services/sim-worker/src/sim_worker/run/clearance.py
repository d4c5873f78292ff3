"""Overlaps of moving parts at any pose: a model of the collision shapes alone, without excluded pairs.

Physics ignores contacts between the parts that a joint of the design connects, and between meshing teeth. This model
sees all pairs with a moving part of the design, so that a monitor can compare their overlap with what is allowed.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from contracts.models.scene import Scene
from numpy.typing import NDArray

from sim_worker.model import World
from sim_worker.model.sensor_layout import SensorLayout
from sim_worker.mujoco_api import MjData, MjModel, mujoco
from sim_worker.names import body_name, free_name, joint_name, payload_name, travel_name
from sim_worker.units import Floats, vector_mm

ENVIRONMENT_BIT, DESIGN_BIT = 1, 2
Pair = tuple[str, str]


@dataclass(frozen=True)
class PartOverlap:
    """Two parts that overlap in a pose."""

    pair: Pair
    """Labels, in alphabetical order."""
    depth_m: float
    point_mm: tuple[float, float, float]


class ClearanceModel:
    """The collision shapes of a world with moving parts of the design."""

    def __init__(self, world: World) -> None:
        self._model = _shapes_only(world)
        self._data: MjData = mujoco.MjData(self._model)
        self._columns = _pose_columns(self._model, world.layout, world.scene)
        self._labels = _geom_labels(self._model, world.scene)
        self.start = {each.pair: each.depth_m for each in self._deepest()}
        """Depth of each pair that overlaps in the submitted pose."""

    def overlaps(self, row: Floats) -> list[PartOverlap]:
        """Return the deepest overlap of each pair in the pose of a row of sensor data."""
        self._data.qpos[:] = row[self._columns]
        return self._deepest()

    def position_m(self, label: str) -> Floats:
        """Return the centre of mass (3,) of a moving part of the design in the last pose."""
        return np.array(self._data.body(body_name("design", label)).xpos)

    def _deepest(self) -> list[PartOverlap]:
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_collision(self._model, self._data)
        deepest: dict[Pair, PartOverlap] = {}
        for each in self._contacts():
            if each.pair not in deepest or each.depth_m > deepest[each.pair].depth_m:
                deepest[each.pair] = each
        return list(deepest.values())

    def _contacts(self) -> Iterator[PartOverlap]:
        contacts = self._data.contact
        for index in np.flatnonzero(contacts.dist[: self._data.ncon] < 0.0):
            first, second = (int(geom) for geom in contacts.geom[index])
            pair = _pair(self._labels[first], self._labels[second])
            yield PartOverlap(pair, -float(contacts.dist[index]), vector_mm(contacts.pos[index]))


def _shapes_only(world: World) -> MjModel:
    """Return the world's bodies and joints with one copy of their geometry, which collides with all of the design."""
    spec = mujoco.MjSpec.from_string(world.mjcf, assets=world.files)
    for elements in (spec.sensors, spec.actuators, spec.equalities, spec.excludes, spec.pairs):
        for element in list(elements):
            spec.delete(element)
    parts = {body_name(body.origin, body.label): body for body in world.scene.bodies}
    for body in spec.bodies:
        part, copies = parts.get(body.name), len(list(body.geoms))
        shapes = len(part.geoms) if part is not None else 0
        for index, geom in enumerate(list(body.geoms)):
            if part is None or index % (copies // shapes):
                spec.delete(geom)
            else:
                geom.contype = ENVIRONMENT_BIT if part.origin == "environment" else DESIGN_BIT
                geom.conaffinity = 0 if part.origin == "environment" else ENVIRONMENT_BIT | DESIGN_BIT
    # a body without a shape needs a mass; nothing here depends on it
    for index in range(len(world.scene.payloads)):
        payload = spec.body(payload_name(index))
        payload.explicitinertial, payload.mass, payload.inertia = True, 1.0, [1.0, 1.0, 1.0]
    return spec.compile()


def _pose_columns(model: MjModel, layout: SensorLayout, scene: Scene) -> NDArray[np.intp]:
    """Return the column of sensor data that holds each coordinate of the model's pose."""
    columns = np.zeros(model.nq, dtype=np.intp)
    for index, each in enumerate((layout, *layout.others)):
        pose = (*range(*each.position.indices(10**6)), *range(*each.quaternion.indices(10**6)))
        _set(columns, model, payload_name(index), pose)
    for joint, turned, travelled in zip(
        scene.joints, layout.joint_positions, layout.joint_travels or (0,) * len(scene.joints), strict=True
    ):
        _set(columns, model, joint_name(joint.label), range(turned, turned + (4 if joint.kind == "ball" else 1)))
        if joint.kind == "cylindrical":
            _set(columns, model, travel_name(joint.label), range(travelled, travelled + 1))
    for label, position, quaternion in zip(
        layout.moving, layout.moving_positions, layout.moving_quaternions, strict=True
    ):
        if mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, free_name(label)) >= 0:
            _set(columns, model, free_name(label), (*range(position, position + 3), *range(quaternion, quaternion + 4)))
    return columns


def _set(columns: NDArray[np.intp], model: MjModel, joint: str, values: range | tuple[int, ...]) -> None:
    first = int(model.joint(joint).qposadr[0])
    columns[first : first + len(values)] = list(values)


def _geom_labels(model: MjModel, scene: Scene) -> list[str]:
    labels = {body_name(body.origin, body.label): body.label for body in scene.bodies}
    return [labels[model.body(body).name] for body in model.geom_bodyid]


def _pair(first: str, second: str) -> Pair:
    return (first, second) if first < second else (second, first)
