"""Events about simulating and filming a scene."""

from typing import ClassVar, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from contracts.envelope import Event, Request
from contracts.event_line import EventLine, EventText, result_severity, result_text
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.design import PartSteps
from contracts.models.simulation import Media, SimulationResult
from contracts.outcomes import FailureOutcome
from contracts.text import counted


class SimulationCompleted(Event):
    """The scene was simulated."""

    unconsumed: ClassVar = "cad-worker waits for it while the requesting cell runs"

    result: SimulationResult
    scene: ArtifactRef | None = None
    """The scene with what finite elements found, by which it can be filmed; None in older events."""

    def line(self) -> EventLine:
        return EventLine(f"preview: {result_text(self.result)}", result_severity(self.result))


class SimulationFailed(FailureOutcome[Literal["scene_invalid", "initial_penetration", "model_does_not_compile"]]):
    """The scene could not be simulated."""

    unconsumed: ClassVar = "cad-worker waits for it while the requesting cell runs"
    summary: ClassVar = "preview failed"


class SimulationRequested(Request):
    """A role requests a preview: a simulation that decides nothing."""

    publishers: ClassVar = ("cad-worker",)

    schema_version: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """2: several payloads in the scene; 1: one."""
    owner: ClassVar = "sim-worker"
    outcomes: ClassVar = (SimulationCompleted, SimulationFailed)

    scene: ArtifactRef
    """The `Scene` as JSON."""
    replicas: PositiveInt = 1
    """1: only the nominal run. More: that many jittered repeats in addition."""
    seed: NonNegativeInt = 0
    part_steps: PartSteps = Field(default={})
    """By which finite elements judge what is doubtful, as in a verdict; none: the scene has been judged by them."""

    def line(self) -> EventLine:
        return EventLine(f"preview with {counted(self.replicas, 'replica')}", "detail")


class FilmCompleted(Event):
    """The simulation was filmed."""

    summary_md: str
    """Shown above the images wherever an agent sees them."""
    media: Media

    def line(self) -> EventLine:
        return EventLine(f"film ready, with {counted(len(self.media.key_frames), 'key frame')}", "success")

    def texts(self) -> list[EventText]:
        return [EventText("Course", self.summary_md)]


FilmFailureReason = Literal[
    "scene_invalid", "initial_penetration", "model_does_not_compile", "ran_differently", "nothing_to_film"
]


class FilmFailed(FailureOutcome[FilmFailureReason]):
    """The simulation could not be filmed."""

    summary: ClassVar = "filming failed"

    reason: FilmFailureReason
    """`ran_differently`: the trajectory differs from the judged one. `nothing_to_film`: no moment of the simulation is
    within the window."""


class FilmRequested(Request):
    """A request for the film of a judged simulation. Films are made only on request, since verdicts come first."""

    publishers: ClassVar = ("planner", "critic", "cad-worker")

    schema_version: Literal[1, 2] = 2  # pyright: ignore[reportIncompatibleVariableOverride] - wider on purpose
    """2: several payloads in the scene; 1: one."""
    owner: ClassVar = "sim-worker"
    outcomes: ClassVar = (FilmCompleted, FilmFailed)

    scene: ArtifactRef
    """The `Scene` as JSON."""
    trajectory_digest: Sha256
    """Digest of the judged simulation, which the film must show."""
    window_s: tuple[NonNegativeFloat, NonNegativeFloat] | None = None
    """Start and end of the filmed part; None: the whole simulation."""

    def line(self) -> EventLine:
        return EventLine("film requested", "detail")
