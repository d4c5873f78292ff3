"""The result of a simulation: its verdict, replicas, occurrences, loads and media."""

from typing import Annotated, Literal

from pydantic import Field, FiniteFloat, NonNegativeFloat, PositiveFloat

from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.geometry import Vector

Ending = Literal[
    "reached_goal",
    "missed_goal",
    "touched_forbid",
    "left_bounds",
    "overloaded",
    "penetrated",
    "no_room",
    "diverged",
    "numerical",
]
"""How one replica ended. `penetrated`: two things that are solid were inside each other. `no_room`: the design leaves
the payload too little room for a start that is a few millimetres off. `diverged`: its state was not finite.
`numerical`: the simulator failed, not the design."""
Aftermath = Literal[
    "unknown",
    "stayed",
    "left_goal",
    "touched_forbid",
    "left_bounds",
    "overloaded",
    "penetrated",
    "diverged",
    "numerical",
]
"""What became of a payload that had reached the goal in the 2 s after it; the verdict does not depend on it."""


class PayloadResult(Model):
    """What became of one of several payloads, up to the decision."""

    label: str
    has_arrived: bool
    """Whether it fulfilled the goal rule at that time; the hold time of the rule is not part of this."""
    final_mm: Vector
    max_speed_m_s: NonNegativeFloat
    closest_goal_mm: NonNegativeFloat
    """Minimum distance from the goal zone."""
    goal_distance_mm: NonNegativeFloat
    """Distance of its centre from the goal zone at that time; 0 inside."""
    lost: Literal["left_bounds", "touched_forbid"] | None = None
    """What it did so that it could not arrive any more, while another one still could. None: it was not lost so."""
    lost_s: NonNegativeFloat | None = None
    lost_cause: str = ""
    """The same in one sentence with measured values."""


def _is_empty(value: object) -> bool:
    """Tell whether there was one payload, so that a field about several is left out."""
    return not value


class ReplicaResult(Model):
    """One jittered repeat.

    Of several payloads its fields describe the one that decided: the first that arrived, or the one that failed.
    """

    ending: Ending
    time_s: NonNegativeFloat
    """Time of the decision."""
    final_mm: Vector
    """Position of the payload at that time."""
    max_speed_m_s: NonNegativeFloat
    closest_goal_mm: NonNegativeFloat
    """Minimum distance between payload and goal zone."""
    touched: str = ""
    """Label of the first forbid zone that was touched, if any."""
    culprit: str = ""
    """Label of the body that touched it, or of the overloaded element."""
    cause: str = ""
    """Why it did not reach the goal, in one sentence with measured values; empty if it did."""
    goal_distance_mm: NonNegativeFloat | None = None
    """Distance of the payload's centre from the goal zone at that time; 0 inside. None: not measured."""
    goal_center_distance_mm: NonNegativeFloat | None = None
    """Its distance from the centre of the goal zone."""
    aftermath: Aftermath = "unknown"
    """What happened in the 2 s after success. `unknown` without success, in the replicas of previews, and in results of
    older versions."""
    aftermath_cause: str = ""
    """The same in one sentence with measured values; empty if it stayed."""
    jitter_share: Annotated[FiniteFloat, Field(ge=0.0, le=1.0)] = 1.0
    """Applied share of the start's random displacement; less than 1 where solids of the benchmark are close."""
    payload: Annotated[str, Field(exclude_if=_is_empty)] = ""
    """Label of the one of several payloads that the fields above describe; empty if there is one."""
    payloads: Annotated[tuple[PayloadResult, ...], Field(exclude_if=_is_empty)] = ()
    """Each of several payloads, in the order of the benchmark; empty if there is one."""


class PhysicalEvent(Model):
    """A physical occurrence in the nominal run."""

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
        "penetrated",
        "at_rest",
        "decided",
    ]
    subject: str
    """Label of the body or element concerned."""
    other: str = ""
    """Label of the other body, if any."""
    place_mm: Vector
    value: FiniteFloat | None = None
    unit: Literal["m/s", "mm", "N", "N m", "W", "deg", "s", ""] = ""


class MotorUse(Model):
    """Load of a motor in the nominal run."""

    label: str
    peak_torque_n_m: NonNegativeFloat
    peak_torque_s: NonNegativeFloat | None = None
    """When it gave that. None: not recorded."""
    stall_torque_n_m: NonNegativeFloat
    continuous_torque_n_m: NonNegativeFloat
    longest_overload_s: NonNegativeFloat
    """Longest time above its continuous torque without a break."""
    thermal_limit_s: NonNegativeFloat = 0.0
    """How long it may be above its continuous torque within any four times this long. 0: not recorded."""
    overload_s: NonNegativeFloat = 0.0
    """Most time above its continuous torque within any window of four thermal limits."""
    near_stall_s: NonNegativeFloat = 0.0
    """Most time above half of its stall torque within such a window."""
    peak_power_w: NonNegativeFloat
    peak_power_s: NonNegativeFloat | None = None
    """When it drew that. None: not recorded."""
    mean_power_w: NonNegativeFloat
    """Electrical."""


class LoadUse(Model):
    """Load of a connection or joint in the nominal run."""

    label: str
    peak_force_n: NonNegativeFloat
    max_force_n: NonNegativeFloat | None = None
    peak_moment_n_m: NonNegativeFloat = 0.0
    max_moment_n_m: NonNegativeFloat | None = None
    """Of a glued face: about its weakest axis."""
    peak_use: NonNegativeFloat | None = None
    """Of a glued face: force and moments together, as a share of what it holds. None: they count separately."""

    @property
    def load_ratio(self) -> float | None:
        """The greater ratio of force and moment to its limit, of a glued face both together; None without a limit."""
        if self.peak_use is not None:
            return self.peak_use
        pairs = ((self.peak_force_n, self.max_force_n), (self.peak_moment_n_m, self.max_moment_n_m))
        return max((peak / limit for peak, limit in pairs if limit), default=None)


class PartUse(Model):
    """Stress, compression and deflection of a part in the nominal run: by beam theory, its stress also at its weakest
    cuts, in thin plates under a load, at the peak of a blow, and by finite elements where these cannot bound it."""

    label: str
    material_id: str
    peak_stress_mpa: NonNegativeFloat
    max_stress_mpa: PositiveFloat
    stress_by: Literal["beams", "cut", "plate"] = "beams"
    """What found the peak stress."""
    is_by_solid: Annotated[bool, Field(exclude_if=_is_empty)] = False
    """Whether finite elements of the exact solid corrected it."""
    peak_stress_at_mm: Vector | None = None
    """Where it is, in the submitted pose. None: beams found it."""
    solid_problem: Annotated[str, Field(exclude_if=_is_empty)] = ""
    """Why finite elements, which should have looked at it, gave no answer."""
    peak_fatigue: Annotated[NonNegativeFloat, Field(exclude_if=_is_empty)] = 0.0
    """Stress over 0.1 s as a share of what a part that moves bears in every cycle; 0: it rests."""
    creeps_at_mpa: Annotated[NonNegativeFloat, Field(exclude_if=_is_empty)] = 0.0
    """Stress that it bears all the time, if a plastic creeps under it: a warning. 0: it does not."""
    peak_buckling: NonNegativeFloat
    """Compression as a share of the load at which it buckles, safety included."""
    peak_deflection_mm: NonNegativeFloat
    max_deflection_mm: PositiveFloat
    """Beyond it, a simulation of rigid parts says nothing."""

    @property
    def safety_factor(self) -> float | None:
        """Admissible stress over peak stress: above 1, the material's own safety comes on top. None: no stress."""
        return self.max_stress_mpa / self.peak_stress_mpa if self.peak_stress_mpa else None

    @property
    def load_ratio(self) -> float:
        """The greatest of stress, fatigue, buckling and deflection as a share of its limit."""
        bent = self.peak_deflection_mm / self.max_deflection_mm
        return max(self.peak_stress_mpa / self.max_stress_mpa, self.peak_fatigue, bent, self.peak_buckling)


class SimulationResult(Model):
    """The nominal run and its jittered replicas, judged."""

    verdict: Literal["solved", "failed"]
    """Verdict on the nominal run."""
    stability: Literal["untested", "stable", "flaky", "failed"]
    """Of the replicas: `stable` from 90 % success."""
    nominal: ReplicaResult
    replicas: tuple[ReplicaResult, ...] = ()
    success_rate: FiniteFloat
    """Share of all replicas that reached the goal, 0 to 1; that of the nominal run without replicas."""
    confidence: tuple[FiniteFloat, FiniteFloat] = (0.0, 1.0)
    """95 % confidence interval of the success rate."""
    trajectory_digest: Sha256
    """Digest of the nominal trajectory: equal inputs give equal digests."""
    trajectory: ArtifactRef | None = None
    """npz of the nominal run, as described in `Media.trajectory`."""
    events: Annotated[tuple[PhysicalEvent, ...], Field(max_length=200)] = ()
    """Occurrences in the nominal run, in order."""
    motors: tuple[MotorUse, ...] = ()
    loads: tuple[LoadUse, ...] = ()
    parts: tuple[PartUse, ...] = ()
    peak_supply_w: NonNegativeFloat = 0.0
    """Peak power of all motors of the design together."""
    is_station_test: bool = False
    """Whether an agent had the payload released somewhere else, to test one station; then it proves nothing."""
    summary_md: str
    """The course of the run; the first line is the verdict."""

    @property
    def is_proven(self) -> bool:
        """Whether physics proved the design: the nominal run solved the benchmark, and its replicas are stable.

        Nothing else decides what is approved, delivered as solved, or learned from.
        """
        return self.verdict == "solved" and self.stability == "stable" and not self.is_station_test


class KeyFrame(Model):
    """An image of the simulation at a notable moment."""

    time_s: NonNegativeFloat
    caption: str
    picture: ArtifactRef
    """PNG."""


class Media(Model):
    """Images, videos and models of a simulation."""

    video: ArtifactRef
    """MP4; VP9, in older runs H.264."""
    clip: ArtifactRef | None = None
    """Animated WebP of at most 2 MB, for sharing. None in older runs."""
    glb: ArtifactRef
    """Animated glTF."""
    trajectory: ArtifactRef
    """npz: `time_s` (n,), `payload_mm` (n, 3), `payload_quaternion` (n, 4), w first; for other moving bodies, and
    for payloads besides the first, labels `bodies` (m,), centres of mass `body_mm` (n, m, 3) and `body_quaternion`
    (n, m, 4); labels `joints` (j,) and `joint_position` (n, j) in degrees or mm; labels `motors` (k,),
    `motor_torque_n_m` and `motor_power_w` (n, k); labels `contact_bodies` (c,) of the parts that anything pressed
    on, the net force on each `contact_force_n` (n, c, 3), the largest since the sample before, and its centre
    `contact_mm` (n, c, 3); older files lack these."""
    poster: ArtifactRef
    """PNG: the world with the payload's path, and the machine's dimensions."""
    mjcf: ArtifactRef
    """The MuJoCo model: a zip of scene.xml and its meshes; unpacked, it opens in plain MuJoCo."""
    contact_sheet: ArtifactRef | None = None
    """PNG: all key frames in one image, each with its time and caption."""
    contact_sheet_show: str = ""
    """What `contact_sheet` shows: order and colours."""
    key_frames: tuple[KeyFrame, ...] = ()
    views: ArtifactRef | None = None
    """PNG: top, front and right view at one scale, with rulers, zones and the payload's path. None in older runs."""
    views_show: str = ""
    """What `views` shows: axes, colours and moments."""
