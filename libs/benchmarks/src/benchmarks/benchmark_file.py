"""The format of benchmark.yaml: the nominal world of a benchmark, and how seeds may vary it."""

from typing import Annotated, Literal, Self

from contracts.criteria import JITTER_START_MM
from contracts.models.benchmark import GoalRule, Limits, MustArrive, PowerOwner, is_all, is_bench
from contracts.models.label import Label
from pydantic import ConfigDict, Field, NonNegativeFloat, PositiveFloat, model_validator

from benchmarks.file_model import FileBox, FileModel, FileObstacle, FileZone, NonEmptyText
from benchmarks.file_payload import FilePayload
from benchmarks.randomisation import Randomisation

ScaleWith = Literal["nothing", "length"]


def _is_unscaled(scale_with: ScaleWith) -> bool:
    return scale_with == "nothing"


class FileLimits(Limits, FileModel):
    """The limits on the machine."""

    scale_with: Annotated[ScaleWith, Field(exclude_if=_is_unscaled)] = "nothing"
    """What multiplies price and mass: `length` is the sum of the edges of the world's bounds over the nominal sum."""


NO_PAYLOAD = "payload: this field is missing; add it, or payloads if there are several"


def _is_left_out(value: object) -> bool:
    """Tell whether a file states the other one of `payload` and `payloads`, so that its content is digested as ever."""
    return not value


class BenchmarkFile(FileModel):
    """The content of benchmark.yaml. All boxes are nominal, before scaling.

    Whether its values fit each other is checked by `benchmarks.consistency`.
    """

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["payload"]}, {"required": ["payloads"]}]})

    name: Label
    title: NonEmptyText
    description: NonEmptyText
    """The task in prose for the agent, as Markdown. Must be true for every seed."""
    units: Literal["mm"] = "mm"
    """Of all lengths. There is no other; a file that names it shows that its author thought of it."""
    level: Literal[1, 2, 3]
    bounds: FileBox
    build_zone: FileBox
    goal_zone: FileBox
    forbid_zones: tuple[FileZone, ...] = ()
    obstacles: tuple[FileObstacle, ...] = ()
    """Boxes that environment.py fills with something, as `variant.obstacles`."""
    payload: Annotated[FilePayload | None, Field(exclude_if=_is_left_out)] = None
    """What must be moved, if it is one thing."""
    payloads: Annotated[tuple[FilePayload, ...], Field(exclude_if=_is_left_out)] = ()
    """What must be moved, if there are several things."""
    must_arrive: Annotated[MustArrive, Field(exclude_if=is_all)] = "all"
    """Which of `payloads` must do what `goal_rule` asks for: all at the same time, or any one of them."""
    limits: FileLimits = FileLimits()
    hold_s: NonNegativeFloat = 1.0
    goal_rule: GoalRule = "touch"
    """What the payload must do for `hold_s`: touch the goal zone, be entirely inside it, or touch it at rest."""
    duration_s: PositiveFloat = 10.0
    supply_limit_w: PositiveFloat | None = None
    """Limit on the power of all motors of the machine together at any moment."""
    power: Annotated[PowerOwner, Field(exclude_if=is_bench)] = "bench"
    """Who owns power and control: the benchmark, at no cost, or the machine, whose price includes them."""
    replica_jitter_mm: Annotated[float, Field(ge=0.0, le=100.0)] | None = None
    """How far the start of a replica may be from that of the nominal run, to each side and upwards; by default 5 mm."""
    replica_jitter_share: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    """The same as a share of the payload's least measure."""
    randomisation: Randomisation = Randomisation()

    @model_validator(mode="after")
    def _require_payload(self) -> Self:
        if self.payload is None and not self.payloads:
            raise ValueError(NO_PAYLOAD)
        if self.payload is not None and self.payloads:
            raise ValueError("payload and payloads contradict each other; state one of them")
        if self.payload is not None and self.must_arrive != "all":
            raise ValueError("must_arrive has no meaning for a single payload; remove it, or state payloads")
        return self

    @property
    def all_payloads(self) -> tuple[FilePayload, ...]:
        """The payload, or all of several."""
        return self.payloads if self.payload is None else (self.payload,)

    @model_validator(mode="after")
    def _require_one_jitter(self) -> Self:
        if self.replica_jitter_mm is not None and self.replica_jitter_share is not None:
            raise ValueError("replica_jitter_mm and replica_jitter_share contradict each other; state one of them")
        return self

    def jitter_mm(self, least_extent_mm: float) -> float:
        """Return the jitter of the start of replicas, for a payload whose least measure is that."""
        if self.replica_jitter_share is not None:
            return self.replica_jitter_share * least_extent_mm
        return JITTER_START_MM if self.replica_jitter_mm is None else self.replica_jitter_mm
