"""A rule-based model that counts the red squares of `dataset_copies`, with each executor as well as it allows.

With `code` it measures the shade of the squares first, and then counts what is as bright. A single pass has to assume
the shade. Without a kernel, or with calls of tools only, nothing counts: it gives the middle of what is possible.
"""

import re
from collections.abc import Sequence
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage

GUESS = 2
MEASURE = "import numpy as np\nprint('shade', int(max(image.pixels[..., 0].max() for image in InputImages)))"
COUNT = """import numpy as np
from scipy import ndimage
counted = int(ndimage.label(InputImages[0].pixels[..., 0] > {limit})[1])
ReturnAnswer({answer})"""
ASSUMED_LIMIT = 200


def reply(messages: Sequence[BaseMessage], label: str = "") -> AIMessage:
    """Return the next reply of a conversation; `label` is not used."""
    del label
    executor = _found(r"^Executor: (\w+)", messages[0].text)
    texts = "\n".join(each.text for each in messages)
    is_choice = "Expected: one letter" in texts
    if re.search(r"^# Plan$", messages[-1].text, re.MULTILINE):
        return AIMessage("Measure the shade of the squares, then count what is as bright.")
    if executor == "tool_calls":
        value = repr("ABCD"[GUESS - 1]) if is_choice else str(GUESS)
        return AIMessage("", tool_calls=[{"id": f"c-{uuid4()}", "name": "return_answer", "args": {"value": value}}])
    if executor in ("none", "chain_of_thought"):
        return AIMessage(f"ANSWER: {'ABCD'[GUESS - 1] if is_choice else GUESS}")
    shade = _found(r"shade (\d+)", messages[-1].text)
    if executor == "code" and not shade:
        return _cell(MEASURE)
    answer = "'ABCD'[min(max(counted, 1), 4) - 1]" if is_choice else "counted"
    return _cell(COUNT.format(limit=int(shade) // 2 if shade else ASSUMED_LIMIT, answer=answer))


def _cell(code: str) -> AIMessage:
    sections = {
        "Purpose": "count",
        "Reasoning": "squares are red",
        "Next goal": "answer",
        "Code": f"```python\n{code}\n```",
    }
    return AIMessage("\n\n".join(f"## {name}\n\n{text}" for name, text in sections.items()))


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return found.group(1) if found else ""
