"""Cells in a kernel session: the tools that run one, and its request."""

from abc import abstractmethod
from collections.abc import Sequence
from uuid import UUID

from contracts.events.session import CellRequested
from contracts.models.conversation import ToolCall
from pydantic import BaseModel, ConfigDict

from agent.loop.replies import CellAction
from agent.loop.role import StepEvents
from agent.loop.tool_calls import CodeCell, name_of, read_arguments

_PURPOSE_CHARS = 200


class CellTool(BaseModel):
    """A tool that runs a fixed cell."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @abstractmethod
    def cell_code(self) -> str:
        """Return the code of the cell."""

    def cell_purpose(self) -> str:
        """Return the purpose of the cell: the call as the model wrote it, shortened."""
        return f"{name_of(type(self))} {self.model_dump_json(exclude_unset=True)}"[:_PURPOSE_CHARS]


def read_cell_call(call: ToolCall, tools: Sequence[type[BaseModel]], thought: str = "") -> CellAction:
    """Return the cell of one call of these tools; raise `MalformedReplyError`."""
    return cell_of(read_arguments(call, tools), thought)


def cell_of(arguments: BaseModel, thought: str) -> CellAction:
    """Return the cell of a call with these arguments."""
    assert isinstance(arguments, CellTool | CodeCell)
    purpose, code = arguments.cell_purpose(), arguments.cell_code()
    return CellAction(purpose=purpose, reasoning=thought, next_goal="", code=code)


def cell_request(cell: CellAction, events: StepEvents, unwritten: tuple[UUID, ...] = ()) -> CellRequested:
    """Return the request that runs a cell; the session adds the journal entries `unwritten` to journal.md first."""
    return CellRequested(
        **events.next(),
        purpose=cell.purpose,
        code=cell.code,
        next_goal=cell.next_goal,
        journal_entries=unwritten,
    )
