"""The names `InputImages`, `Metadata` and `tools` of a question, without the groups of tools that it switches off."""

from collections.abc import Sequence
from typing import NoReturn

from contracts.models.questions.question import ToolGroup
from kernel.errors import ExplainedError
from spatial.frames import InputImages, VideoMetadata
from spatial.namespace import make_namespace, tools_left
from spatial.port import Perception


class ToolOffError(ExplainedError, AttributeError):
    """The tool exists, and this question is asked without it."""


class OffTool:
    """Stands for a tool that is switched off: every use of it names the tool and what is left."""

    def __init__(self, name: str, left: Sequence[str]) -> None:
        self._name = name
        self._left = ", ".join(left) or "numpy and scipy"

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse."""
        self._refuse()

    def __call__(self, *_: object, **__: object) -> NoReturn:
        """Refuse."""
        self._refuse()

    def __repr__(self) -> str:
        """Say so."""
        return f"tools.{self._name}: switched off"

    def _refuse(self) -> NoReturn:
        raise ToolOffError(f"tools.{self._name} is switched off for this question; there are {self._left}")


class LimitedTools:
    """`tools` with some of them switched off."""

    def __init__(self, tools: dict[str, object], texts: str) -> None:
        self._texts = texts
        self.__dict__.update(tools)

    def __repr__(self) -> str:
        """Teach how to use them."""
        return self._texts


def question_tools(
    perception: Perception, images: InputImages, metadata: VideoMetadata, tools_off: Sequence[ToolGroup]
) -> dict[str, object]:
    """Return the names by which cells use them."""
    names = make_namespace(perception, images, metadata)
    left = tools_left(tools_off)
    off = [name for name in tools_left(()) if name not in left]
    tools: object = names["tools"]
    if off:
        kept: dict[str, object] = {name: getattr(tools, name) for name in left}
        gone: dict[str, object] = {name: OffTool(name, [f"tools.{each}" for each in left]) for name in off}
        tools = LimitedTools(kept | gone, f"tools: {', '.join(left) or 'none'}")
    return {"InputImages": names["InputImages"], "Metadata": names["Metadata"], "tools": tools}
