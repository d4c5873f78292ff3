"""How a scene behaved."""

from typing import ClassVar, Literal

from pydantic import FiniteFloat, NonNegativeFloat, NonNegativeInt, PositiveInt

from contracts.artifact import ArtifactRef, Sha256
from contracts.envelope import Event, Request
from contracts.geometry import Vector
from contracts.model import Model

Ending = Literal["reached_goal", "missed_goal", "touched_forbid", "left_bounds", "numerical"]
"""How one replica ended. `numerical` speaks of the simulator, never of the designer."""


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
    trajectory_digest: Sha256
    """Of the nominal trajectory: same inputs, same digest."""
    summary_md: str
    """What happened when; the first line is the verdict."""


class Media(Model):
    """What people look at."""

    video: ArtifactRef
    """MP4, H.264."""
    glb: ArtifactRef
    """Animated glTF."""
    trajectory: ArtifactRef
    """npz: `time_s` (n,), `payload_mm` (n, 3), `payload_quaternion` (n, 4), w first."""
    poster: ArtifactRef
    """PNG: the world with the payload's path drawn in."""
    mjcf: ArtifactRef
    """The MuJoCo model, XML."""


class SimulationCompleted(Event):
    """The scene was simulated."""

    result: SimulationResult
    media: Media | None


class SimulationFailed(Event):
    """The scene could not be simulated."""

    reason: Literal["scene_invalid", "initial_penetration", "model_does_not_compile"]
    detail: str


class SimulationRequested(Request):
    """A role wants to know how a scene behaves (a preview)."""

    owner: ClassVar = "sim-worker"
    outcomes: ClassVar = (SimulationCompleted, SimulationFailed)

    scene: ArtifactRef
    """JSON of a `Scene`."""
    replicas: PositiveInt = 1
    """1: the nominal run alone. More: that many jittered repeats after it."""
    seed: NonNegativeInt = 0
    with_media: bool = False
