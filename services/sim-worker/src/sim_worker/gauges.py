"""What is measured in every step: the model's sensors, and how to read their rows."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from contracts.scene import Scene

from sim_worker.engine import MjModel, MjSpec, mujoco
from sim_worker.units import Floats

PAYLOAD = "payload"
"""Name of the payload's body, joint and geom in the model."""
GOAL = "goal"
"""Name of the goal zone's geom."""
BUILD = "build"
FAR_M = 100.0
"""Distances above this are not told apart."""


def forbid_name(label: str) -> str:
    """Return the name that a forbid zone has in the model."""
    return f"forbid:{label}"


def body_name(origin: str, label: str) -> str:
    """Return the name that a part has in the model: a design may reuse a label of the environment."""
    return f"{origin}:{label}"


def add_sensors(spec: MjSpec, scene: Scene) -> None:
    """Add the sensors that `Gauges` reads: where the payload is, how far from each zone, and what it touches."""
    body, geom = mujoco.mjtObj.mjOBJ_BODY, mujoco.mjtObj.mjOBJ_GEOM
    sensor = mujoco.mjtSensor
    for name, kind in (
        ("position", sensor.mjSENS_FRAMEPOS),
        ("quaternion", sensor.mjSENS_FRAMEQUAT),
        ("velocity", sensor.mjSENS_FRAMELINVEL),
    ):
        spec.add_sensor(name=name, type=kind, objtype=body, objname=PAYLOAD)
    for zone in (GOAL, *(forbid_name(forbid.label) for forbid in scene.forbid_zones)):
        spec.add_sensor(
            name=f"distance:{zone}",
            type=sensor.mjSENS_GEOMDIST,
            objtype=geom,
            objname=PAYLOAD,
            reftype=geom,
            refname=zone,
            cutoff=FAR_M,
        )
    fields = mujoco.mjtConDataField
    found_and_depth = (1 << fields.mjCONDATA_FOUND.value) | (1 << fields.mjCONDATA_DIST.value)
    deepest, contacts = 1, 1
    for part in scene.bodies:
        name = body_name(part.origin, part.label)
        spec.add_sensor(
            name=f"contact:{name}",
            type=sensor.mjSENS_CONTACT,
            objtype=body,
            objname=name,
            reftype=body,
            refname=PAYLOAD,
            intprm=[found_and_depth, deepest, contacts],
        )


@dataclass(frozen=True)
class Gauges:
    """Columns of a row of sensor values."""

    position: slice
    quaternion: slice
    velocity: slice
    goal: int
    forbids: tuple[int, ...]
    """In the order of the scene's forbid zones."""
    contacts: tuple[int, ...]
    """In the order of the scene's bodies: 1 where the payload touches it; the next column is the depth, negative."""

    @classmethod
    def of(cls, model: MjModel, scene: Scene) -> "Gauges":
        """Return where `add_sensors` put its values in a compiled model."""

        def start(name: str) -> int:
            return int(model.sensor(name).adr[0])

        return cls(
            position=slice(start("position"), start("position") + 3),
            quaternion=slice(start("quaternion"), start("quaternion") + 4),
            velocity=slice(start("velocity"), start("velocity") + 3),
            goal=start(f"distance:{GOAL}"),
            forbids=tuple(start(f"distance:{forbid_name(zone.label)}") for zone in scene.forbid_zones),
            contacts=tuple(start(f"contact:{body_name(body.origin, body.label)}") for body in scene.bodies),
        )


@dataclass(frozen=True)
class Readings:
    """What the sensors said in `n` consecutive steps of one replica. SI."""

    time_s: Floats
    """(n,)"""
    rows: Floats
    """(n, columns)"""
    gauges: Gauges

    @property
    def position_m(self) -> Floats:
        """(n, 3), centre of the payload."""
        return self.rows[:, self.gauges.position]

    @property
    def quaternion(self) -> Floats:
        """(n, 4), w first."""
        return self.rows[:, self.gauges.quaternion]

    @cached_property
    def speed_m_s(self) -> Floats:
        """(n,)"""
        speed: Floats = np.linalg.norm(self.rows[:, self.gauges.velocity], axis=1)
        return speed

    @property
    def goal_m(self) -> Floats:
        """(n,), distance between payload and goal zone; not above zero where they touch."""
        return self.rows[:, self.gauges.goal]

    @property
    def forbids_m(self) -> Floats:
        """(n, zones), distance between payload and each forbid zone."""
        return self.rows[:, list(self.gauges.forbids)]

    @property
    def touching(self) -> Floats:
        """(n, bodies), above zero where the payload touches the body."""
        return self.rows[:, list(self.gauges.contacts)]

    @property
    def depth_m(self) -> Floats:
        """(n, bodies), how deep the payload stands in the body; zero where it does not."""
        return -self.rows[:, [column + 1 for column in self.gauges.contacts]]

    def __getitem__(self, steps: slice) -> "Readings":
        return Readings(self.time_s[steps], self.rows[steps], self.gauges)

    @classmethod
    def joined(cls, pieces: "list[Readings]") -> "Readings":
        """Return consecutive readings as one."""
        time_s: Floats = np.concatenate([piece.time_s for piece in pieces])
        return cls(time_s, np.concatenate([piece.rows for piece in pieces]), pieces[0].gauges)
