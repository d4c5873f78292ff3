"""What the API takes and returns, beside the values of contracts and store."""

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Literal, Union, get_args
from uuid import UUID

from contracts.envelope import Event
from contracts.events.question import QuestionAnswered, QuestionAsked, QuestionFailed
from contracts.events.quote import MOST_NAME_CHARS, QuoteRequested
from contracts.events.run import RunFailed, RunSucceeded
from contracts.model import Model
from contracts.models.benchmark import Assignment, Budget, Executor, Limits, Variant
from contracts.models.design import BuiltInMethod, Method
from contracts.models.label import Label
from contracts.models.questions.question import MAX_FRAMES, MAX_QUESTION_CHARS, FrameChoice, QuestionExecutor
from contracts.quotes import FileQuote, QuoteChoice
from contracts.registry import EVENTS
from contracts.text import storable
from fastapi import UploadFile
from parts_catalog.materials import MATERIALS
from parts_catalog.methods.registry import METHODS
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
    field_validator,
)
from run_requests.question import Expected
from store.questions import QuestionSummary
from store.runs import RunSummary
from store.skills.versions import LearnedSkill

if TYPE_CHECKING:
    AnyEvent = Event
else:
    AnyEvent = Union[EVENTS]  # noqa: UP007 - of all classes, so that the document has a schema for each

NAMES = tuple(event.__name__ for event in EVENTS)
MAX_SEED = 2**53 - 1
"""What every JSON reader has exactly; the maximum in the document is a float."""
MAX_QUANTITY = 1_000_000
MAX_CELL = 1_000_000
MAX_COUNT = 1_000_000_000_000
"""Of tokens; other counts and amounts of a request are smaller."""
A_YEAR_S = 31_536_000


def _require_known(name: str) -> str:
    if name not in NAMES:
        raise ValueError(f"{name[:80]!r} is not a class of event: see docs/events.md")
    return name


EventName = Annotated[str, AfterValidator(_require_known), WithJsonSchema({"type": "string", "enum": list(NAMES)})]
MODEL = r"^(offline|[A-Za-z][A-Za-z0-9_-]{0,60}:[\x21-\x7e]{1,130})$"
ModelName = Annotated[str, StringConstraints(pattern=MODEL)]
"""`offline`, or `provider:name`."""
Instruction = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"\S", max_length=8000)]


Choice = Annotated[str, Field(min_length=1, max_length=500)]
QUANTITIES = (1, 10, 100, 1000)
Quantity = Annotated[int, Field(ge=1, le=MAX_QUANTITY)]


def _require_material(name: str) -> str:
    if name not in MATERIALS:
        raise ValueError(f"{name[:80]!r} is not a material: {', '.join(MATERIALS)}")
    return name


def _require_method(name: Method) -> Method:
    if name not in METHODS:
        raise ValueError(f"{name!r} is not a method: {', '.join(METHODS)}")
    return name


KnownMethod = Annotated[
    Method,
    AfterValidator(_require_method),
    WithJsonSchema({"type": "string", "enum": list(get_args(BuiltInMethod))}),
]
"""The document has our own; those of packages depend on the installation."""
MaterialId = Annotated[
    str, AfterValidator(_require_material), WithJsonSchema({"type": "string", "enum": list(MATERIALS)})
]


class RunPageAnswer(Model):
    """Some runs, newest first."""

    runs: tuple[RunSummary, ...]
    next: str | None
    """Cursor of the next page (`after`); null: this is the last one."""


class RunDetail(Model):
    """One run: its request, and its end if it has one."""

    summary: RunSummary
    assignment: Assignment
    budget: Budget
    end: RunSucceeded | RunFailed | None


class QuestionDetail(Model):
    """One question: what was asked, and its end if it has one."""

    asked: QuestionAsked
    end: QuestionAnswered | QuestionFailed | None


class QuestionPageAnswer(Model):
    """Some questions, newest first."""

    questions: tuple[QuestionSummary, ...]
    next: str | None
    """Cursor of the next page (`after`); null: this is the last one."""


class LoggedEvent(Model):
    """One event with its place in the log."""

    cursor: str
    """`after=` this one, or `Last-Event-ID`, for what follows."""
    event: AnyEvent
    """A text over 64 KiB is cut: `large_fields` names the artifact with all of it."""


class EventPage(Model):
    """Some events of a run, in the order of the log."""

    events: tuple[LoggedEvent, ...]
    next: str | None
    """Cursor of the next page (`after`); null: no further event is recorded yet."""


class BenchmarkSummary(Model):
    """A built-in benchmark."""

    name: Label
    title: str
    level: int
    description: str
    """The task as Markdown, of seed 0."""


class BenchmarkList(Model):
    """The built-in benchmarks by name."""

    benchmarks: tuple[BenchmarkSummary, ...]


class BenchmarkVariant(Model):
    """A benchmark under one seed."""

    variant: Variant
    limits: Limits
    """The benchmark's own."""


class SkillList(Model):
    """The newest version of each learned skill, by role and name."""

    skills: tuple[LearnedSkill, ...]


class GatewayHealth(Model):
    """Whether the gateway works."""

    status: str
    """`ok` or `unwell`."""
    problems: tuple[str, ...]
    """One line each; for callers with the scope `read` only."""


class _Body(Model):
    """A body with nothing but known fields."""

    model_config = ConfigDict(extra="forbid", defer_build=False)


def _json_number(value: object) -> object:
    """Refuse what Python would count as a number, but JSON does not."""
    if isinstance(value, str | bool):
        raise ValueError("a number is expected, neither text nor a boolean")
    return value


def number_of(value: object) -> object:
    """Return the number that a field of a form states; whatever else it states is refused later."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


JSON_NUMBER = BeforeValidator(_json_number)


class LimitsBody(_Body):
    """Upper limits on the machine that replace the benchmark's."""

    max_unit_price_usd: Annotated[float, Field(ge=0.01, le=1e9), JSON_NUMBER] | None = None
    max_mass_kg: Annotated[float, Field(ge=0.001, le=1e6), JSON_NUMBER] | None = None
    max_parts: Annotated[int, Field(ge=1, le=1_000_000), JSON_NUMBER] | None = None

    def limits(self) -> Limits:
        """Return the limits that are set."""
        return Limits(**self.model_dump())


class BudgetBody(_Body):
    """Limits on the resources of a run; those that are left out have their defaults, or are as they were."""

    max_steps: Annotated[int, Field(ge=1, le=1000), JSON_NUMBER] | None = None
    deadline_s: Annotated[float, Field(ge=1, le=A_YEAR_S), JSON_NUMBER] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=MAX_COUNT), JSON_NUMBER] | None = None
    max_cost_usd: Annotated[float, Field(ge=0.0001, le=1e9), JSON_NUMBER] | None = None
    max_rejections: Annotated[int, Field(ge=0, le=1000), JSON_NUMBER] | None = None

    def given(self) -> dict[str, float]:
        """Return the fields that are set."""
        return {name: value for name, value in self.model_dump().items() if value is not None}


class RunBody(_Body):
    """Requests a run."""

    benchmark: Label
    """Name of a built-in one."""
    seed: Annotated[int, Field(ge=0, le=MAX_SEED), JSON_NUMBER] = 0
    model: ModelName | None = None
    """`offline`, `openai:NAME` or `anthropic:NAME`. Left out: the gateway's own, MILLWRIGHT_MODEL."""
    quantity: Annotated[int, Field(ge=1, le=MAX_QUANTITY), JSON_NUMBER] = 100
    """How many machines to price."""
    limits: LimitsBody = LimitsBody()
    budget: BudgetBody = BudgetBody()
    executor: Executor = "code"
    """How the engineer acts."""


class ArchiveForm(LimitsBody, BudgetBody):
    """Requests a run of a benchmark that is sent as an archive, with the fields of other runs."""

    archive: UploadFile
    """A .zip or .tar.gz of the benchmark's folder, as `millwright benchmark pack` makes it: at most 20 files of 1 MB,
    a benchmark.yaml of 100 kB, and 4 MB in all, unpacked."""
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = 0
    model: ModelName | None = None
    quantity: Annotated[int, Field(ge=1, le=MAX_QUANTITY)] = 100
    executor: Executor = "code"

    numbers_of_text = field_validator(*LimitsBody.model_fields, *BudgetBody.model_fields, mode="before")(number_of)

    def limits(self) -> Limits:
        """Return the limits that are set."""
        return Limits(**self.model_dump(include=set(LimitsBody.model_fields)))

    def given(self) -> dict[str, float]:
        """Return the fields of the budget that are set."""
        return self.model_dump(include=set(BudgetBody.model_fields), exclude_none=True)


class QuestionForm(_Body):
    """Asks a question about images, or about one video."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["images"]}, {"required": ["video"]}]})

    text: Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"\S", max_length=MAX_QUESTION_CHARS)]
    """What is to be answered."""
    images: Annotated[list[UploadFile], Field(min_length=1, max_length=MAX_FRAMES)] | None = None
    """PNG, JPEG, WebP, BMP or GIF that is not animated, in order, each of at most 50 megapixels; repeat the field."""
    video: UploadFile | None = None
    """It is sampled to frames. A frame has at most 50 megapixels, and what must be decoded for all of them at
    most 4000."""
    choice: Annotated[list[Choice], Field(min_length=2, max_length=26)] | None = None
    """The answer is one of these; repeat the field for each."""
    expect: Expected = "text"
    """What the answer is, without choices."""
    unit: Annotated[str, Field(max_length=40)] = ""
    """Of a number or a vector."""
    model: ModelName | None = None
    """As of a run. `offline` answers what it can measure, and refuses the rest."""
    executor: QuestionExecutor = "code"
    plan: bool = True
    """Whether a plan is written first."""
    max_frames: Annotated[int, Field(ge=1, le=32)] = 32
    """Of the video."""
    frame_choice: FrameChoice = "key"
    """Of a long video: those at which it changes and at times that the question names, or evenly."""
    max_steps: Annotated[int, Field(ge=1, le=200)] = 30
    max_tokens: Annotated[int, Field(ge=1, le=MAX_COUNT)] | None = None
    deadline_s: Annotated[float, Field(ge=1, le=A_YEAR_S)] = 1800.0


class QuoteForm(_Body):
    """Asks by which methods the parts of a file can be made, and for how much."""

    file: UploadFile
    """STEP, STL, 3MF, OBJ or a build123d script, as the end of its name says."""
    method: Annotated[list[KnownMethod], Field(max_length=20)] | None = None
    """Left out: all. Repeat the field for each."""
    material: Annotated[list[MaterialId], Field(max_length=len(MATERIALS))] | None = None
    """A method takes those that suit it, or its usual material if none does. Repeat the field for each."""
    quantity: Annotated[list[Quantity], Field(max_length=10)] | None = None
    """Sizes of the order; left out: 1, 10, 100 and 1000. Repeat the field for each."""
    tolerance: Literal["coarse", "medium", "fine"] = "medium"
    """Class of ISO 2768."""

    def file_name(self) -> str:
        """Return the name of the file without folders."""
        name = PurePosixPath(storable(self.file.filename or "").replace("\\", "/")).name
        return name[-MOST_NAME_CHARS:] or "file"

    def choice(self) -> QuoteChoice:
        """Return what is asked, each value once."""
        return QuoteChoice(
            methods=tuple(dict.fromkeys(self.method or METHODS)),
            materials=tuple(dict.fromkeys(self.material or ())),
            quantities=tuple(dict.fromkeys(self.quantity or QUANTITIES)),
            tolerance_class=self.tolerance,
        )


class QuoteDetail(Model):
    """A quote: what was asked, and the answer."""

    requested: QuoteRequested
    quote: FileQuote | None
    """null until the file was judged."""


class ContinuationBody(_Body):
    """Requests a run that starts with the files and the journal of one that has ended; what is left out stays."""

    instruction: Instruction
    """For the next attempt."""
    model: ModelName | None = None
    quantity: Annotated[int, Field(ge=1, le=MAX_QUANTITY), JSON_NUMBER] | None = None
    limits: LimitsBody = LimitsBody()
    budget: BudgetBody = BudgetBody()
    executor: Executor | None = None


class ForkBody(ContinuationBody):
    """Requests a run that goes on from a cell of another one, which may still work."""

    cell: Annotated[int, Field(ge=1, le=MAX_CELL), JSON_NUMBER]
    """Of the engineer, counted from 1: files and journal are those after it."""


class RunAccepted(Model):
    """A request of a run, or of its cancellation, is stored in the log."""

    run_id: UUID
    run: str
    """Path of the run or the question."""
    live: str
    """Path of its live event stream."""
