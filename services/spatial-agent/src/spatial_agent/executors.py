"""Executors: the ways in which the spatial-agent acts, and how each reads the model's reply."""

import ast
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

from agent.kernel_session.cells import CellTool, read_cell_call
from agent.loop.replies import CellAction, MalformedReplyError, read_cell
from agent.loop.tool_calls import CodeCell, require_few_calls
from contracts.models.conversation import Message
from contracts.models.questions.question import QuestionExecutor
from pydantic import BaseModel, ConfigDict, Field

MAX_ARGUMENT_CHARS = 2_000
_ALLOWED = (
    *(ast.Module, ast.Expr, ast.Call, ast.keyword, ast.Name, ast.Load, ast.Attribute, ast.Subscript, ast.Slice),
    *(ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.UnaryOp, ast.USub),
)
"""What arguments may consist of: values, and parts of earlier results."""


class CallTool(CellTool):
    """Call one tool and keep its result under a name. The arguments are values, or parts of earlier results."""

    model_config = ConfigDict(title="call_tool")

    tool: str = Field(
        pattern=r"^(show|[A-Za-z]\w*(\.[A-Za-z]\w*)+)$",
        description="Of `tools` or `vlm`, or of an earlier result: `tools.Geometry.euclidean_distance`, `masks.areas`.",
    )
    arguments: Annotated[str, Field(max_length=MAX_ARGUMENT_CHARS)] = Field(
        default="", description="As in a call in Python, such as `InputImages[0], prompt='ball'`: no further calls."
    )
    result: str = Field(pattern=r"^[A-Za-z]\w{0,40}$", description="The name of the result.")

    def cell_code(self) -> str:
        """Return the cell."""
        require_plain(self.arguments)
        return f"{self.result} = {self.tool}({self.arguments})\nprint({self.result})\n"

    def cell_purpose(self) -> str:
        """Return what the cell does."""
        return f"call {self.tool}"


class GiveAnswer(CellTool):
    """Answer the question, which ends it."""

    model_config = ConfigDict(title="return_answer")

    value: Annotated[str, Field(min_length=1, max_length=MAX_ARGUMENT_CHARS)] = Field(
        description="A value in Python, such as `'B'` or `2.5`, or a part of an earlier result."
    )

    def cell_code(self) -> str:
        """Return the cell."""
        require_plain(self.value)
        return f"ReturnAnswer({self.value})\n"

    def cell_purpose(self) -> str:
        """Return what the cell does."""
        return "answer the question"


def require_plain(arguments: str) -> None:
    """Raise `MalformedReplyError` if arguments compute anything: calls, operators, comprehensions and lambdas do."""
    try:
        tree = ast.parse(f"call({arguments})")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise MalformedReplyError(
            f"The arguments `{arguments[:200]}` are not those of a call in Python: {error}"
        ) from error
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    if len(tree.body) != 1 or len(calls) != 1:
        raise MalformedReplyError(f"The arguments `{arguments[:200]}` call something: call one tool at a time.", "tool")
    other = next((node for node in ast.walk(tree) if not isinstance(node, _ALLOWED)), None)
    if other is not None:
        name = type(other).__name__
        raise MalformedReplyError(
            f"The arguments `{arguments[:200]}` compute something ({name}): give values, or parts of earlier results, "
            "such as `points[0]` or `found.score`.",
            "tool",
        )


class CellExecutor(ABC):
    """One way to act in a kernel."""

    tools: ClassVar[Sequence[type[BaseModel]]] = ()
    """Tools that the model may call."""
    has_one_reply: ClassVar[bool] = False
    """The first reply is the last one."""

    @abstractmethod
    def read(self, reply: Message) -> CellAction:
        """Return the first action of the reply; raise `MalformedReplyError`."""

    def read_calls(self, reply: Message) -> CellAction:
        """Return the action of the first tool call, once all of them can be read."""
        require_few_calls(reply)
        first, *_ = [read_cell_call(call, self.tools, reply.text) for call in reply.tool_calls]
        return first


class ManyCells(CellExecutor):
    """The model writes cells: by a tool call, or in Markdown."""

    tools = (CodeCell,)

    def read(self, reply: Message) -> CellAction:
        """Return the cell."""
        return self.read_calls(reply) if reply.tool_calls else read_cell(reply)


class OneCell(ManyCells):
    """The model writes one cell and sees no observation."""

    has_one_reply = True

    def read(self, reply: Message) -> CellAction:
        """Return the only cell."""
        if len(reply.tool_calls) > 1:
            raise MalformedReplyError("Write one cell: there is no second one.", "tool")
        return super().read(reply)


class SingleCalls(CellExecutor):
    """The model calls one tool after the other, and cannot compute anything between them."""

    tools = (CallTool, GiveAnswer)

    def read(self, reply: Message) -> CellAction:
        """Return the first call."""
        if not reply.tool_calls:
            raise MalformedReplyError("Call a tool: the reply had no call, and cells cannot be written here.")
        return self.read_calls(reply)


EXECUTORS: Mapping[QuestionExecutor, CellExecutor] = {
    "code": ManyCells(),
    "tool_calls": SingleCalls(),
    "single_pass": OneCell(),
}
"""Those that act in a kernel; the others answer in one reply."""
