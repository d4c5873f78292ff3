"""Executor that acts by tool calls alone: each runs a fixed cell on the `assembly` of script.py."""

from collections.abc import Sequence
from typing import Annotated, Literal

from agent.kernel_session.actions import FILE_TOOLS, Action
from agent.kernel_session.cells import CellTool
from agent.loop.replies import MalformedReplyError
from contracts.models.conversation import Message
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, WithJsonSchema

from engineer.actions import Executor
from engineer.executors import fixed_cells

Label = Annotated[str, Field(max_length=200)]
Seconds = Annotated[Annotated[FiniteFloat, Field(ge=0)] | None, WithJsonSchema({"type": "number", "minimum": 0})]


class ValidateAndPrice(CellTool):
    """Get findings and prices of the assembly, or of one part. Free."""

    model_config = ConfigDict(title="validate_and_price")

    label: Annotated[Label | None, WithJsonSchema({"type": "string", "maxLength": 200})] = None

    def cell_code(self) -> str:
        """Return the cell."""
        return fixed_cells.price_cell(self.label)


class Simulate(CellTool):
    """Preview the physics of the assembly. Free."""

    model_config = ConfigDict(title="simulate")

    def cell_code(self) -> str:
        """Return the cell."""
        return fixed_cells.SIMULATE


class Show(CellTool):
    """Get a picture of the assembly, its environment, both, or the last simulation."""

    model_config = ConfigDict(title="show")

    what: fixed_cells.Shown
    from_s: Seconds = Field(default=None, description="Of a simulation.")
    until_s: Seconds = None

    def cell_code(self) -> str:
        """Return the cell."""
        return fixed_cells.show_cell(self.what, self.from_s, self.until_s)


class QueryMeasure(CellTool):
    """Measure zones, payload and solids of the world, the parts, or the payload's last path."""

    model_config = ConfigDict(title="query")

    measure: Literal["world", "parts", "payload"]

    def cell_code(self) -> str:
        """Return the cell."""
        return fixed_cells.measure_cell(self.measure)


class Distance(CellTool):
    """Measure the gap between two labelled parts or solids, in mm; 0 where they touch."""

    model_config = ConfigDict(title="distance")

    label: Label
    other: Label

    def cell_code(self) -> str:
        """Return the cell."""
        return fixed_cells.distance_cell(self.label, self.other)


class SearchCatalog(CellTool):
    """Search the catalog by words, with figures and units: motors, screws, bearings, gears and shafts."""

    model_config = ConfigDict(title="search_catalog")

    words: Annotated[str, Field(min_length=1, max_length=500)]
    limit: Annotated[int, Field(ge=1, le=10)] = 5

    def cell_code(self) -> str:
        """Return the cell."""
        return fixed_cells.search_cell(self.words, self.limit)


class SubmitForReview(CellTool):
    """Submit script.py as it is; if the verdict would object, get its findings instead."""

    model_config = ConfigDict(title="submit_for_review")

    def cell_code(self) -> str:
        """Return the cell."""
        return fixed_cells.SUBMIT


class RefusePlan(CellTool):
    """Refuse the plan as impossible. The proof cites its evidence, such as [cell 3] or [simulation 1]."""

    model_config = ConfigDict(title="refuse_plan")

    proof: str

    def cell_code(self) -> str:
        """Return the cell."""
        return fixed_cells.refuse_cell(self.proof)


TOOLS: Sequence[type[BaseModel]] = (
    *FILE_TOOLS,
    ValidateAndPrice,
    Simulate,
    Show,
    QueryMeasure,
    Distance,
    SearchCatalog,
    SubmitForReview,
    RefusePlan,
)


class ToolCallExecutor(Executor):
    """The model calls tools and writes no cells."""

    prompt = "system_tool_call"
    tools = TOOLS

    def read(self, reply: Message) -> tuple[Action, ...]:
        """Return the reply's tool calls."""
        if not reply.tool_calls:
            raise MalformedReplyError("Call a tool: the reply had no call, and cells cannot be written here.")
        return self.read_calls(reply)
