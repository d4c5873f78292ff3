"""Executor that acts by code: cells, files, and the tools that end the work or search the catalog."""

import re
from collections.abc import Sequence

from agent.loop.replies import read_cell
from contracts.models.conversation import Message
from pydantic import BaseModel, ConfigDict, Field

from engineer.actions import FILE_TOOLS, Action, CellTool, Executor
from engineer.executors.tool_calls import RefusePlan, SearchCatalog, SubmitForReview

_FENCED = re.compile(r"\A\s*```(?:python|py)?[ \t]*\n(?P<code>.*?)\n```\s*\Z", re.DOTALL | re.IGNORECASE)


class RunCell(CellTool):
    """Run Python code in your kernel, which keeps its variables, and get an observation."""

    model_config = ConfigDict(title="run_cell")

    code: str = Field(min_length=1, description="The code of the cell.")
    purpose: str = Field(default="", description="What the cell finds out or does, in one sentence.")

    def cell_code(self) -> str:
        """Return the model's own code, without a fence around it."""
        fenced = _FENCED.match(self.code)
        return f"{fenced['code'] if fenced else self.code.rstrip()}\n"

    def cell_purpose(self) -> str:
        """Return the model's purpose."""
        return " ".join(self.purpose.split()) or "run a cell"


CODE_TOOLS: Sequence[type[BaseModel]] = (RunCell, *FILE_TOOLS, SearchCatalog, SubmitForReview, RefusePlan)


class CodeExecutor(Executor):
    """The model calls tools. A model that calls none writes its cell in Markdown."""

    prompt = "system"
    tools = CODE_TOOLS

    def read(self, reply: Message) -> tuple[Action, ...]:
        """Return the tool calls, whatever the text beside them holds, or else the cell in the text."""
        return self.read_calls(reply) if reply.tool_calls else (read_cell(reply),)
