"""Chains of single tool calls that answer a question: only questions that need no loop and no arithmetic have one."""

import re
from dataclasses import dataclass

NAME = r"[a-z]+ [a-z]+"


@dataclass(frozen=True)
class ToolStep:
    """One tool call of the executor `tool_calls`."""

    name: str
    arguments: dict[str, str]


def tool_steps(question: str) -> list[ToolStep]:
    """Return the calls in order, the answer last; none if the question needs more than a chain of calls."""
    if found := re.search(rf"centers of the (?P<a>{NAME}) and the (?P<b>{NAME})", question):
        return _distance(found["a"], found["b"])
    if found := re.search(rf"How tall is the (?P<a>{NAME})", question):
        return [
            *_look(found["a"]),
            _step("masks.extent_3d", f"rec, '{found['a']}_1'", "extent"),
            _answer("extent[1][1]"),
        ]
    if found := re.search(r"How many (?P<kind>ball|box|cylinder)(?:e?s) are there", question):
        exists = _step("tools.SAM3.is_object_exist", f"InputImages[0], '{found['kind']}'", "found")
        return [exists, _answer("found['counts'][0]")]
    if found := re.search(rf"[Ii]s the (?P<a>{NAME}) visible in image (?P<image>\d+)", question):
        position = int(found["image"]) - 1
        exists = _step("tools.SAM3.is_object_exist", f"InputImages[{position}], '{found['a']}'", "found")
        return [exists, _answer("found['exists']")]
    return []


def _distance(first: str, second: str) -> list[ToolStep]:
    return [
        *_look(first, second),
        _step("masks.centroid_3d", f"rec, '{first}_1'", "one"),
        _step("masks.centroid_3d", f"rec, '{second}_1'", "other"),
        _step("tools.Geometry.euclidean_distance", "one, other", "away"),
        _answer("away"),
    ]


def _look(*names: str) -> list[ToolStep]:
    return [
        _step("tools.Reconstruct", "InputImages", "rec"),
        _step("tools.SAM3.segment_video_by_text", f"{list(names)!r}", "masks"),
    ]


def _step(tool: str, arguments: str, result: str) -> ToolStep:
    return ToolStep("call_tool", {"tool": tool, "arguments": arguments, "result": result})


def _answer(value: str) -> ToolStep:
    return ToolStep("return_answer", {"value": value})
