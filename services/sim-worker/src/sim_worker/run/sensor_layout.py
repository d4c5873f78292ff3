"""Where everything that is measured stands in a row of the model's sensors. `sensing` puts it there."""

from dataclasses import dataclass, field

from contracts.models.scene import Drive, LoadedJoint, Scene, Weld

from sim_worker.mujoco_api import MjModel, mujoco
from sim_worker.names import sensor_name
from sim_worker.run.motor_programs import Program
from sim_worker.run.weld_loads import Sharing
from sim_worker.units import Floats

NOWHERE = -1
"""Column of what the model does not measure because it is always zero."""
Columns = tuple[int, ...]


@dataclass(frozen=True)
class Gauges:
    """Columns of a row of sensor values; of a vector, its first column."""

    position: slice
    quaternion: slice
    velocity: slice
    goal: int
    forbids: Columns
    """In the order of the scene's forbid zones."""
    contacts: Columns
    """In the order of the scene's bodies: 1 where the payload touches it; the next column is the depth, negative."""
    part_forbid_pairs: tuple[tuple[str, str], ...] = ()
    """(body, zone) for every design body that moves and every forbid zone: labels."""
    part_forbids: Columns = ()
    moving: tuple[str, ...] = ()
    """Labels of all bodies that are free or hang on joints, in the order of the scene's bodies."""
    moving_places: Columns = ()
    moving_quaternions: Columns = ()
    joints: tuple[LoadedJoint, ...] = ()
    joint_positions: Columns = ()
    joint_travels: Columns = ()
    joint_velocities: Columns = ()
    joint_forces: Columns = ()
    joint_moments: Columns = ()
    judged_welds: tuple[Weld, ...] = ()
    """Those whose load has a limit, in the scene's order."""
    weld_forces: Columns = ()
    """Of the welds that are measured."""
    weld_moments: Columns = ()
    weld_shares: Floats | None = None
    """(6 x judged, 6 x measured): the loads of those that are judged; None: they are the same."""
    weld_reactions: Floats | None = None
    """(6 x judged, drives): what they bear besides for each N m of a motor; None: nothing."""
    drive_torques: Columns = ()
    drive_speeds: Columns = ()
    energies: Columns = ()
    program: Program = field(default_factory=lambda: Program(()))
    """What the drives are told."""

    @classmethod
    def of(cls, model: MjModel, scene: Scene, sharing: Sharing) -> "Gauges":
        """Return where `sensing.add_sensors` put its values in a compiled model."""
        row = _Row(model)
        zones = tuple(zone.label for zone in scene.forbid_zones)
        labels = tuple(body.label for body in scene.bodies)
        judged = [place for place, weld in enumerate(scene.welds) if weld.max_force_n or weld.max_moment_n_m]
        of_judged = [6 * place + way for place in judged for way in range(6)]
        moving = tuple(label for label in labels if row.has("moving_place", label))
        pairs = tuple((label, zone) for label in labels for zone in zones if row.has("part_forbid", label, zone))
        return cls(
            position=row.vector("position", 3),
            quaternion=row.vector("quaternion", 4),
            velocity=row.vector("velocity", 3),
            goal=row.first("goal"),
            forbids=row.each("forbid", zones),
            contacts=row.each("contact", labels),
            part_forbid_pairs=pairs,
            part_forbids=tuple(row.first("part_forbid", *pair) for pair in pairs),
            moving=moving,
            moving_places=row.each("moving_place", moving),
            moving_quaternions=row.each("moving_quaternion", moving),
            joints=scene.joints,
            joint_positions=row.each("joint_position", _labels(scene.joints)),
            joint_travels=row.each("joint_travel", _labels(scene.joints)),
            joint_velocities=row.each("joint_velocity", _labels(scene.joints)),
            joint_forces=row.each("joint_force", _labels(scene.joints)),
            joint_moments=row.each("joint_moment", _labels(scene.joints)),
            judged_welds=tuple(scene.welds[place] for place in judged),
            weld_forces=row.each("weld_force", _labels(sharing.measured)),
            weld_moments=row.each("weld_moment", _labels(sharing.measured)),
            weld_shares=sharing.shares[of_judged],
            weld_reactions=sharing.reactions[of_judged],
            drive_torques=row.each("drive_torque", _labels(scene.drives)),
            drive_speeds=row.each("drive_speed", _labels(scene.drives)),
            energies=(row.first("kinetic_energy"), row.first("potential_energy")),
            program=Program.of(scene),
        )


def _labels(things: tuple[LoadedJoint, ...] | tuple[Weld, ...] | tuple[Drive, ...]) -> tuple[str, ...]:
    return tuple(thing.label for thing in things)


@dataclass(frozen=True)
class _Row:
    """Finds sensors by what they measure and of what."""

    model: MjModel

    def first(self, *what: str) -> int:
        sensor = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_SENSOR, sensor_name(*what))
        return NOWHERE if sensor < 0 else int(self.model.sensor_adr[sensor])

    def has(self, *what: str) -> bool:
        return self.first(*what) != NOWHERE

    def vector(self, what: str, size: int) -> slice:
        return slice(self.first(what), self.first(what) + size)

    def each(self, what: str, labels: tuple[str, ...]) -> Columns:
        return tuple(self.first(what, label) for label in labels)
