"""How a scene behaved."""

from typing import ClassVar, Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from contracts.envelope import Event, Request
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.simulation import Media, SimulationResult


class SimulationCompleted(Event):
    """The scene was simulated."""

    result: SimulationResult


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


class FilmCompleted(Event):
    """The run can be looked at."""

    summary_md: str
    """Stands in front of the pictures wherever an agent sees them."""
    media: Media


class FilmFailed(Event):
    """The run could not be filmed."""

    reason: Literal[
        "scene_invalid", "initial_penetration", "model_does_not_compile", "ran_differently", "nothing_to_film"
    ]
    """`ran_differently`: the scene did not behave as it did when it was judged. `nothing_to_film`: the window holds no
    moment of the run."""
    detail: str


class FilmRequested(Request):
    """Somebody wants to look at a run that was judged before. Made only when asked for: verdicts come first."""

    owner: ClassVar = "sim-worker"
    outcomes: ClassVar = (FilmCompleted, FilmFailed)

    scene: ArtifactRef
    """JSON of a `Scene`."""
    trajectory_digest: Sha256
    """Of the run that was judged; the film must show the same."""
    window_s: tuple[NonNegativeFloat, NonNegativeFloat] | None = None
    """Between which times of the run; None: all of it."""
