"""Executor that acts by code: cells, files, and the tools that end the work or search the catalog."""

from collections.abc import Sequence

from agent.kernel_session.actions import FILE_TOOLS, Action
from agent.loop.replies import read_cell
from agent.loop.tool_calls import CodeCell
from contracts.models.conversation import Message
from pydantic import BaseModel

from engineer.actions import Executor
from engineer.executors.tool_calls import RefusePlan, SearchCatalog, SubmitForReview

CODE_TOOLS: Sequence[type[BaseModel]] = (CodeCell, *FILE_TOOLS, SearchCatalog, SubmitForReview, RefusePlan)


class CodeExecutor(Executor):
    """The model calls tools. A model that calls none writes its cell in Markdown."""

    prompt = "system"
    tools = CODE_TOOLS
    writes_cells = True

    def read(self, reply: Message) -> tuple[Action, ...]:
        """Return the tool calls, whatever the text beside them holds, or else the cell in the text."""
        return self.read_calls(reply) if reply.tool_calls else (read_cell(reply),)
