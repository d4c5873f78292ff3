"""Structured calls alone: each acts on `assembly` of script.py by a cell that we wrote."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, Literal

from agent.loop.cell_reply import CellAction
from agent.loop.replies import MalformedReplyError
from agent.loop.role import Reaction, StepEvents
from contracts.envelope import Event
from contracts.models.conversation import Message
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from engineer.action import TOOLS, Action, CallAction, FileAction, FileTool, by_name, read_call
from engineer.executors import fixed_cells
from engineer.notes import EngineerNotes

Label = Annotated[str, Field(max_length=200)]
Seconds = Annotated[FiniteFloat, Field(ge=0)]


class Call(BaseModel):
    """A tool call that is a cell of ours."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @abstractmethod
    def code(self) -> str:
        """Return the cell."""


class ValidateAndPrice(Call):
    """Say what the workbenches find in the assembly of script.py, or in one part of it, and what it costs. Free."""

    model_config = ConfigDict(title="validate_and_price")

    label: Label | None = Field(default=None, description="Of one part; all of the assembly without it.")

    def code(self) -> str:
        """Return the cell."""
        return fixed_cells.priced(self.label)


class Simulate(Call):
    """Preview the physics of the assembly of script.py. Free."""

    model_config = ConfigDict(title="simulate")

    def code(self) -> str:
        """Return the cell."""
        return fixed_cells.SIMULATE


class Show(Call):
    """Get a picture of the assembly, its environment, both, or the last simulation."""

    model_config = ConfigDict(title="show")

    what: fixed_cells.Shown
    from_s: Seconds | None = Field(default=None, description="Of a simulation: from when on, in seconds.")
    until_s: Seconds | None = Field(default=None, description="Of a simulation: until when, in seconds.")

    def code(self) -> str:
        """Return the cell."""
        return fixed_cells.shown(self.what, self.from_s, self.until_s)


class Query(Call):
    """Measure: the world (zones, payload, boxes of the environment's solids), the parts, or the payload's last path."""

    model_config = ConfigDict(title="query")

    measure: Literal["world", "parts", "payload"]

    def code(self) -> str:
        """Return the cell."""
        return fixed_cells.measured(self.measure)


class Distance(Call):
    """Measure the gap between two labelled parts or solids of the environment, in mm; 0 where they touch."""

    model_config = ConfigDict(title="distance")

    label: Label
    other: Label

    def code(self) -> str:
        """Return the cell."""
        return fixed_cells.distance(self.label, self.other)


class SearchCatalog(Call):
    """Find what is sold by words, with figures and units: motors, screws, bearings, gears and shafts."""

    model_config = ConfigDict(title="search_catalog")

    words: Annotated[str, Field(min_length=1, max_length=500)]
    limit: Annotated[int, Field(ge=1, le=10)] = 5

    def code(self) -> str:
        """Return the cell."""
        return fixed_cells.searched(self.words, self.limit)


class SubmitForReview(Call):
    """Hand in script.py as it is, or hear what the verdict would object to."""

    model_config = ConfigDict(title="submit_for_review")

    def code(self) -> str:
        """Return the cell."""
        return fixed_cells.SUBMIT


class RefusePlan(Call):
    """Refuse the plan as impossible. The proof cites what shows it, as [cell 3] or [simulation 1]."""

    model_config = ConfigDict(title="refuse_plan")

    proof: str

    def code(self) -> str:
        """Return the cell."""
        return fixed_cells.refused(self.proof)


CALLS: Sequence[type[BaseModel]] = (
    *TOOLS,
    ValidateAndPrice,
    Simulate,
    Show,
    Query,
    Distance,
    SearchCatalog,
    SubmitForReview,
    RefusePlan,
)
_BY_NAME = by_name(CALLS)


class ToolCalling:
    """The model calls tools and writes no cell."""

    tools: Sequence[type[BaseModel]] = CALLS
    prompt = "system_tool_call"
    has_one_reply = False

    def read(self, reply: Message) -> Action:
        """Return what the only call of the reply does."""
        if not reply.tool_calls:
            raise MalformedReplyError("Call exactly one tool: the reply had none, and cells cannot be written here.")
        wanted, call = read_call(reply, _BY_NAME), reply.tool_calls[0]
        if isinstance(wanted, FileTool):
            return FileAction(call=call, thought=reply.text, wanted=wanted)
        assert isinstance(wanted, Call)
        purpose = f"{call.name} {call.arguments_json}"[:200]
        cell = CellAction(purpose=purpose, reasoning=reply.text, next_goal="", code=wanted.code())
        return CallAction(call=call, cell=cell)

    def alone(self, event: Event, notes: EngineerNotes, pen: StepEvents) -> Reaction[EngineerNotes] | None:
        """Decide nothing: after each answer the model is asked."""
        del event, notes, pen
