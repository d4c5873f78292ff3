"""The only reply of the expert engineer where it may see nothing: the facts stand in the task, as tables."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.markdown import Box, boxes, last_containing, numbers, value
from offline_expert.routing.problem import CornerPair, Facts


def facts_of_task(messages: Sequence[BaseMessage]) -> Facts:
    """Return what the task's tables say."""
    task = last_containing(messages, "## Zones (mm)")
    shape = value(task, "shape") or ""
    size = value(task, f"size ({'diameter' if shape == 'ball' else 'edge'})") or ""
    return Facts(
        build=_corners(task, "build")[0],
        goal=_corners(task, "goal")[0],
        forbids=_corners(task, "forbid"),
        solids=_corners(task, "environment"),
        shape=shape,
        size_mm=numbers(size)[0],
        start_mm=numbers(value(task, "start (centre)") or ""),
    )


def write_script(text: str, thought: str, number: int) -> AIMessage:
    """Return the reply."""
    del number
    return AIMessage(f"## Reasoning\n\n{thought}\n\n## Script\n\n```python\n{text.rstrip()}\n```")


def refuse(reason: str) -> AIMessage:
    """Return a script that says why there is none."""
    return write_script(f"raise NotImplementedError({reason!r})", f"No script can be given. {reason}", 1)


def _corners(task: str, kind: str) -> list[CornerPair]:
    return [_pair(box) for box in boxes(task) if box.kind == kind]


def _pair(box: Box) -> CornerPair:
    return [list(box.low), list(box.high)]
