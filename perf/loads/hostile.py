"""Hostile runs: models whose engineer repeats one harmful cell, and one whose provider never answers."""

import json
from collections.abc import Mapping, Sequence

from agent.model.providers import offline_chat
from langchain_core.messages import AIMessage, BaseMessage

from tests.support.clusters.fake_provider import FakeProvider, expert_provider

DEAD = "dead"
CELLS: Mapping[str, str] = {
    "memory": "held = [bytearray(1 << 28) for _ in range(64)]",
    "parts": (
        "from build123d import Box, Compound, Pos\n"
        "from utils import simulate\n"
        "parts = [Pos(12 * (n % 25), 12 * (n // 25), 5) * Box(10, 10, 10) for n in range(500)]\n"
        "for number, part in enumerate(parts):\n"
        "    part.label = f'part_{number}'\n"
        "print(simulate(Compound(children=parts)))"
    ),
    "messages": (
        "from build123d import Box\n"
        "from utils import validate_and_price\n"
        "print('x' * (64 << 20))\n"
        "part = Box(10, 10, 10)\n"
        "part.label = 'x' * (64 << 20)\n"
        "print(validate_and_price(part))"
    ),
    "files": (
        "import numpy as np\n"
        "for number in range(5000):\n"
        "    np.save(f'file_{number}.npy', np.zeros(100))\n"
        "print('saved')"
    ),
    "loop": "while True:\n    pass",
}
"""By the name of the model; the engineer runs the same cell again and again."""
KINDS = (*CELLS, DEAD)
REPLY = """\
## Purpose

look

## Reasoning

so far so good

## Next goal

go on

## Code

```python
{code}
```
"""


def hostile_provider() -> FakeProvider:
    """Return a provider whose models are named after the kinds; all roles but the engineer are the offline expert."""
    return expert_provider({kind: _Hostile(code) for kind, code in CELLS.items()})


def model_environment(provider: FakeProvider) -> Mapping[str, str]:
    """Return the variables by which the roles find the models."""
    nowhere = json.dumps({f"openai:{DEAD}": [{"base_url": "http://127.0.0.1:9/v1"}]})
    return {"OPENAI_BASE_URL": provider.base_url, "OPENAI_API_KEY": "none", "MODEL_ENDPOINTS": nowhere}


class _Hostile:
    def __init__(self, code: str) -> None:
        self._code = code
        self._expert = offline_chat()

    def __call__(self, messages: Sequence[BaseMessage], label: str) -> AIMessage:
        is_engineer = messages[0].text.startswith("# Role: engineer")
        return AIMessage(REPLY.format(code=self._code)) if is_engineer else self._expert.reply_to(messages)
