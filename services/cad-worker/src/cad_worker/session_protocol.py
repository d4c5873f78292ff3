"""The session protocol: messages between the host and the kernel of a session.

The host sends a `SessionOrder`, and the kernel answers `SessionReady`. For each cell the host sends `RunCell`; the
kernel sends any number of `KernelCall`s, each of which the host answers, and at last `CellDone`. Everything that a
kernel sends is untrusted.
"""

from typing import Annotated, Literal
from uuid import UUID

from contracts.events.perception import KernelOperation, Reconstructed, Segmented
from contracts.events.question import MAX_LOOK_CHARS, MAX_LOOK_IMAGES
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.assessment import Assessment
from contracts.models.benchmark import Assignment
from contracts.models.catalog import CatalogFind
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.geometry import Vector
from contracts.models.observation import Observation
from contracts.models.questions.answers import AnswerSpec, ValidAnswer, Value
from contracts.models.questions.frames import FrameRef
from contracts.models.questions.question import MAX_QUESTION_CHARS, FrameMetadata, ToolGroup
from contracts.models.scene import Scene
from contracts.models.simulation import SimulationResult
from kernel.api.display import LABEL_CHARS
from kernel.api.engineer_api import MAX_REPLICAS as MAX_PREVIEW_REPLICAS
from kernel.api.reviews.reruns import MAX_REPLICAS
from kernel.runtime.cell import CellReport
from pydantic import BaseModel, Field, NonNegativeFloat, NonNegativeInt, PositiveInt, RootModel

from cad_worker.author_protocol import DraftCheckCall, TestCall
from cad_worker.job_protocol import DesignData, EnvironmentGeometry, Quote, WireModel

PROOF_CHARS = 20_000
"""Longer proofs of a refusal are cut."""
ShownLabel = Annotated[str, Field(max_length=LABEL_CHARS)]
ARRAYS_FILE = "perception.npz"
"""In the workspace: arrays are too large for messages."""
DESIGN_FILE, SUBMITTED = "design.step", "submitted"
"""File of the design and folder of the submitted files, in the workspace of a review."""


class ReviewOrder(WireModel):
    """A design that a critic reviews; its geometry and its files are in the workspace."""

    bill: BillOfMaterials
    result: SimulationResult
    trajectory_npz: bytes = b""
    """The file of `result.trajectory`."""
    scene: Scene
    """The simulated scene, without the surfaces that only images need."""
    scene_ref: ArtifactRef


class SessionOrder(WireModel):
    """The first message: the session's assignment and environment."""

    assignment: Assignment
    environment: EnvironmentGeometry
    captures_environment: bool = False
    """Whether `SessionReady` must contain the environment."""
    review: ReviewOrder | None = None
    """Of a critic's session."""


class QuestionOrder(WireModel):
    """The first message to the kernel of a question; its pictures are in the workspace, at `image_path`."""

    answer: AnswerSpec
    frames: tuple[FrameRef, ...]
    """Without their sources: the scene behind a frame holds the answer."""
    metadata: FrameMetadata
    tools_off: tuple[ToolGroup, ...] = ()


def image_path(position: int) -> str:
    """Return where the picture of a question's frame is in the workspace."""
    return f"images/{position:03d}"


class SessionReady(WireModel):
    """The kernel's namespace is complete."""

    kind: Literal["ready"] = "ready"
    environment: DesignData | None = None
    """Before any agent code has run; None if it was not requested."""


class RunCell(BaseModel):
    """Run this code."""

    code: str
    name: str
    """The file name in tracebacks."""
    seed: int


class QuoteCall(WireModel):
    """Call of `validate_and_price`."""

    kind: Literal["quote"] = "quote"
    component: DesignData
    quantity: PositiveInt | None = None
    """None: that of the assignment."""


class QuoteAnswer(WireModel):
    """The quote, or why there is none."""

    quote: Quote | None = None
    problem: str = ""


class SimulationCall(WireModel):
    """Call of `simulate`, answered by `SimulationAnswer`."""

    kind: Literal["simulation"] = "simulation"
    design: DesignData
    replicas: Annotated[int, Field(ge=1, le=MAX_PREVIEW_REPLICAS)] = 1
    seed: NonNegativeInt = 0
    payload_at_mm: Vector | dict[str, Vector] | None = None
    """Where the payload is released instead, of several the first, or each by its label; such a simulation is the test
    of a station and proves nothing."""


class RerunCall(BaseModel):
    """Call of `simulate` in a review, answered by `SimulationAnswer`."""

    kind: Literal["rerun"] = "rerun"
    seed: NonNegativeInt
    replicas: Annotated[int, Field(ge=2, le=MAX_REPLICAS)]


class AssessCall(BaseModel):
    """Call of `assess` in a review, answered by `AssessAnswer`."""

    kind: Literal["assess"] = "assess"


class AssessAnswer(BaseModel):
    """The reruns of the review, or why they cannot be counted."""

    assessment: Assessment | None = None
    problem: str = ""


class FilmQuestionCall(BaseModel):
    """Call of `ask_film` in a review, answered by `FilmQuestionAnswer`."""

    kind: Literal["film_question"] = "film_question"
    question: Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS)]
    answer: AnswerSpec
    window_s: tuple[NonNegativeFloat, NonNegativeFloat] | None = None
    """Of the film; None: all of it."""


class FilmQuestionAnswer(BaseModel):
    """What the question was answered with, or why it was not."""

    answer: ValidAnswer | None = None
    ending: str = ""
    run_id: UUID | None = None
    problem: str = ""


class SimulationAnswer(WireModel):
    """The result, or why there is none."""

    result: SimulationResult | None = None
    trajectory_npz: bytes = b""
    """The file of `result.trajectory`: fetched for the kernel, not recorded with the reply."""
    warnings_md: str = ""
    """Findings of a verdict that do not keep physics from running."""
    problem: str = ""


class ScriptCall(BaseModel):
    """Call of `run_script`."""

    kind: Literal["script"] = "script"


class ScriptAnswer(BaseModel):
    """The observation of script.py in a fresh kernel, or why it could not run."""

    observation: Observation | None = None
    problem: str = ""


class CheckCall(WireModel):
    """Call of `submit_for_review`, before the submission."""

    kind: Literal["check"] = "check"
    design: DesignData
    environment: DesignData
    """As it is in the kernel now."""


class CheckAnswer(BaseModel):
    """The findings that a verdict would have, or why the design could not be checked."""

    findings: tuple[Finding, ...] = ()
    problem: str = ""


class ShowShapesCall(WireModel):
    """Call of `show` for geometry, answered by `ShowAnswer`."""

    kind: Literal["shapes"] = "shapes"
    design: DesignData
    label: ShownLabel


class ShowResultCall(WireModel):
    """Call of `show` for a simulation, answered by `ShowAnswer`."""

    kind: Literal["result"] = "result"
    trajectory_digest: Sha256
    label: ShownLabel
    window_s: tuple[float, float] | None = None
    """Of a slice."""


class RecallCall(BaseModel):
    """Call of `recall` for an image of an earlier cell, answered by `ShowAnswer`."""

    kind: Literal["recall"] = "recall"
    picture: Annotated[str, Field(max_length=80)]


class ShowAnswer(BaseModel):
    """Empty if the image is shown."""

    note: str = ""
    """Why it is not shown, if the cell may go on: there are too many."""
    problem: str = ""
    """Why it cannot be shown: an error of the cell."""


class SearchCall(BaseModel):
    """Call of `catalog.search`."""

    kind: Literal["search"] = "search"
    words: Annotated[str, Field(min_length=1, max_length=500)]
    limit: Annotated[int, Field(ge=1, le=20)]
    quantity: Annotated[int, Field(ge=1)]


class SearchAnswer(BaseModel):
    """The parts that fit, or why the search failed."""

    found: tuple[CatalogFind, ...] = ()
    note: str = ""
    problem: str = ""


class PerceptionCall(BaseModel):
    """Call of `tools.Reconstruct` or `tools.SAM3`, answered by `PerceptionAnswer`."""

    kind: Literal["perception"] = "perception"
    operation: KernelOperation


class PerceptionAnswer(BaseModel):
    """The result, whose arrays are at `ARRAYS_FILE` in the workspace until the next call, or why there is none."""

    result: Annotated[Reconstructed | Segmented, Field(discriminator="kind")] | None = None
    reason: str = ""
    problem: str = ""


class LookPicture(WireModel):
    """A picture for the vision model."""

    label: ShownLabel
    png: bytes


class LookCall(WireModel):
    """Call of `vlm`, answered by `LookAnswer`."""

    kind: Literal["look"] = "look"
    task: Literal["locate", "think"]
    text: Annotated[str, Field(min_length=1, max_length=MAX_LOOK_CHARS)]
    pictures: Annotated[tuple[LookPicture, ...], Field(min_length=1, max_length=MAX_LOOK_IMAGES)]


class LookAnswer(BaseModel):
    """What the vision model says, or why it does not."""

    text: str = ""
    problem: str = ""


class AcceptCall(BaseModel):
    """Call of `ReturnAnswer`, answered by `AcceptAnswer`."""

    kind: Literal["accept"] = "accept"
    value: Value


class AcceptAnswer(BaseModel):
    """Empty if the answer is accepted."""

    problem: str = ""


class CellDone(WireModel):
    """The cell has ended."""

    kind: Literal["done"] = "done"
    report: CellReport
    late_chars: NonNegativeInt = 0
    """Printed by threads of earlier cells, and dropped."""
    submitted: DesignData | None = None
    environment: DesignData | None = None
    """With a submission: the environment as it is in the kernel now."""
    submits_files: bool = False
    """Of an author: the benchmark's files of the workspace."""
    refusal: str | None = None


KernelCall = (
    QuoteCall
    | CheckCall
    | SimulationCall
    | RerunCall
    | AssessCall
    | FilmQuestionCall
    | ScriptCall
    | ShowShapesCall
    | ShowResultCall
    | RecallCall
    | SearchCall
    | PerceptionCall
    | LookCall
    | AcceptCall
    | TestCall
    | DraftCheckCall
)
"""A call of one of the kernel's tools."""


class KernelMessage(RootModel[Annotated[SessionReady | KernelCall | CellDone, Field(discriminator="kind")]]):
    """Any message of a kernel."""
