"""How a scene behaved."""

from typing import Annotated, Literal

from pydantic import Field, FiniteFloat, NonNegativeFloat

from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.geometry import Vector

Ending = Literal["reached_goal", "missed_goal", "touched_forbid", "left_bounds", "overloaded", "diverged", "numerical"]
"""How one replica ended. `diverged`: its state was not finite. `numerical` speaks of the simulator alone."""


class ReplicaResult(Model):
    """One jittered repeat."""

    ending: Ending
    time_s: NonNegativeFloat
    """When it was decided."""
    final_mm: Vector
    """Where the payload was then."""
    max_speed_m_s: NonNegativeFloat
    closest_goal_mm: NonNegativeFloat
    """Smallest distance between payload and goal zone."""
    touched: str = ""
    """Label of the forbid zone that was touched first, if any."""
    culprit: str = ""
    """Label of what touched it, or of what was overloaded."""
    cause: str = ""
    """Why it did not reach the goal, measured, in one sentence; empty where it did."""


class PhysicalEvent(Model):
    """Something that happened in the nominal run."""

    time_s: NonNegativeFloat
    kind: Literal[
        "released",
        "contact",
        "lost_contact",
        "entered_goal",
        "left_goal",
        "touched_forbid",
        "left_bounds",
        "closest_to_goal",
        "fastest",
        "joint_at_limit",
        "motor_stalled",
        "overloaded",
        "at_rest",
        "decided",
    ]
    subject: str
    """Label of what it happened to."""
    other: str = ""
    """Label of what it touched, if anything."""
    place_mm: Vector
    value: FiniteFloat | None = None
    unit: Literal["m/s", "mm", "N", "N m", "W", "deg", "s", ""] = ""


class MotorUse(Model):
    """What a motor was asked for in the nominal run."""

    label: str
    peak_torque_n_m: NonNegativeFloat
    stall_torque_n_m: NonNegativeFloat
    continuous_torque_n_m: NonNegativeFloat
    longest_overload_s: NonNegativeFloat
    """Above its continuous torque without a break."""
    peak_power_w: NonNegativeFloat
    mean_power_w: NonNegativeFloat
    """Electrical."""


class LoadUse(Model):
    """What a connection or a joint bore in the nominal run."""

    label: str
    peak_force_n: NonNegativeFloat
    max_force_n: NonNegativeFloat | None = None
    peak_moment_n_m: NonNegativeFloat = 0.0
    max_moment_n_m: NonNegativeFloat | None = None


class SimulationResult(Model):
    """The nominal run and its jittered replicas, judged."""

    verdict: Literal["solved", "failed"]
    """Of the nominal run."""
    stability: Literal["untested", "stable", "flaky", "failed"]
    """Of the replicas: stable from 90 % on."""
    nominal: ReplicaResult
    replicas: tuple[ReplicaResult, ...] = ()
    success_rate: FiniteFloat
    """Share of the replicas that reached the goal, 0 to 1, those left out that the simulator spoiled; of the nominal
    run where there are no replicas."""
    confidence: tuple[FiniteFloat, FiniteFloat] = (0.0, 1.0)
    """Between which the true success rate lies, with 95 % confidence."""
    trajectory_digest: Sha256
    """Of the nominal trajectory: same inputs, same digest."""
    trajectory: ArtifactRef | None = None
    """npz of the nominal run, as `Media.trajectory` describes it."""
    events: Annotated[tuple[PhysicalEvent, ...], Field(max_length=200)] = ()
    """Of the nominal run, in order."""
    motors: tuple[MotorUse, ...] = ()
    loads: tuple[LoadUse, ...] = ()
    peak_supply_w: NonNegativeFloat = 0.0
    """Of all motors of the design together."""
    summary_md: str
    """What happened when; the first line is the verdict."""


class KeyFrame(Model):
    """One picture of a run, taken where something happened."""

    time_s: NonNegativeFloat
    caption: str
    picture: ArtifactRef
    """PNG."""


class Media(Model):
    """What people look at."""

    video: ArtifactRef
    """MP4, H.264."""
    glb: ArtifactRef
    """Animated glTF."""
    trajectory: ArtifactRef
    """npz: `time_s` (n,), `payload_mm` (n, 3), `payload_quaternion` (n, 4), w first; for what moves besides, `bodies`
    (m,) labels, `body_mm` (n, m, 3) of its centre of mass and `body_quaternion` (n, m, 4); `joints` (j,) labels and
    `joint_position` (n, j) in degrees or mm; `motors` (k,) labels, `motor_torque_n_m` and `motor_power_w` (n, k)."""
    poster: ArtifactRef
    """PNG: the world with the payload's path drawn in."""
    mjcf: ArtifactRef
    """The MuJoCo model: a zip of scene.xml and its meshes, which opens in plain MuJoCo once unpacked."""
    contact_sheet: ArtifactRef | None = None
    """PNG: the key frames in one picture, each with its time and caption."""
    key_frames: tuple[KeyFrame, ...] = ()
