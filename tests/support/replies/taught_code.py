"""The code that prompts and skills show: fenced blocks, and calls within sentences."""

import ast
import re
from collections.abc import Iterator

from documents.shipped_skills import ALL_SKILLS

from tests.agent.regenerate_prompts import current_prompts

BLOCK = re.compile(r"^[ \t]*```python\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
ANY_BLOCK = re.compile(r"^([`~]{3,}).*?^\1", re.DOTALL | re.MULTILINE)
SIGNATURE = re.compile(r"^(?:- )?`[^`]+`(?:: .*)?$", re.MULTILINE)
"""A line that lists a function with its parameters; the texts of these come from the functions themselves."""
CODE = re.compile(r"`([^`]+)`")

PROMPTS = {f"{path.parts[-3]}/{path.stem}": text for path, text in current_prompts().items()}
"""Rendered system prompts by folder and name, such as `engineer/system`."""
SKILLS = {path: data.decode() for skill in ALL_SKILLS.values() for path, data in skill.files.items()}
"""Pages of the shipped skills, by path."""


def blocks_of(text: str) -> list[str]:
    """Return the fenced Python of a text."""
    return BLOCK.findall(text)


def calls_of(text: str) -> list[str]:
    """Return the Python in the sentences of a text that calls something."""
    sentences = SIGNATURE.sub("", ANY_BLOCK.sub("", text))
    spans = (" ".join(span.split()) for span in CODE.findall(sentences))
    return list(dict.fromkeys(span for span in spans if any(isinstance(node, ast.Call) for node in _nodes(span))))


def _nodes(code: str) -> Iterator[ast.AST]:
    """Yield the nodes of a text's syntax tree; none if it is not Python."""
    try:
        yield from ast.walk(ast.parse(code))
    except SyntaxError:
        return


def function_of(call: str) -> str:
    """Return the name that a piece of code calls first, such as `simulate`; its root where it has none."""
    first = next(node for node in _nodes(call) if isinstance(node, ast.Call))
    root = first.func
    while isinstance(root, ast.Attribute):
        root = root.value
    return root.id if isinstance(root, ast.Name) else ""
