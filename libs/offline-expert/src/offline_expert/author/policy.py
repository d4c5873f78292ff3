"""The author's replies: a plan for a brief, and the files of a drawn world once it is approved."""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.author.environment_text import environment_text
from offline_expert.author.families import FAMILIES, draw, family_of
from offline_expert.author.witness_text import WITNESS
from offline_expert.author.world import InventedWorld
from offline_expert.markdown import last_containing

_BRIEF = "# Brief"
_FILES = ("# The plan is approved", "# The draft is refused", "# The critic rejected the draft")
_AGAIN = _FILES[1:]
_LEVEL = re.compile(r"^- level: (?P<value>[123])$", re.MULTILINE)
_NUMBER = re.compile(r"^- number: (?P<value>[0-9]+)$", re.MULTILINE)


class NoBriefError(ValueError):
    """The conversation has no brief with a level and a number."""


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return the plan, or after its approval the files; each draft that failed leads to another draw."""
    level, number = _brief(messages)
    failed = sum(message.text.startswith(_AGAIN) for message in messages)
    world = draw(number, failed, level)
    newest = next((message.text for message in reversed(messages) if message.text.startswith(("# ", _BRIEF))), "")
    text = _files(world, number, failed) if newest.startswith(_FILES) else _plan(world, number)
    return AIMessage(text)


def _brief(messages: Sequence[BaseMessage]) -> tuple[int, int]:
    text = last_containing(messages, _BRIEF)
    level, number = _LEVEL.search(text), _NUMBER.search(text)
    if level is None or number is None:
        raise NoBriefError("the brief names no level or no number")
    return int(level["value"]), int(number["value"])


def _plan(world: InventedWorld, number: int) -> str:
    family = family_of(number)
    features = "\n".join(f"- {sentence}" for sentence in world.sentences)
    moves = "A motor of the environment moves something, again and again."
    motion = moves if world.has_motion else "nothing"
    return f"""## Task

Bring a ball of {world.ball:g} mm into a goal zone that is lower and to the side. Family: {family}.

## World

{FAMILIES[family].__doc__}

{features}

## Mechanism

A straight chute on a slope of 6 to 20 degrees, above everything that is in the way, catches the ball and ends in a
pocket in the goal zone. Gravity moves the ball; one leg is below the start, the other below the pocket.

## Motion

{motion}

## Risks

- a seed moves the goal zone: the witness takes its measures from the world of each seed
- the ball bounces out of the pocket: its walls are higher than the ball
"""


def _files(world: InventedWorld, number: int, failed: int) -> str:
    name = f"{world.family}-{number}" + (f"-{failed + 1}" if failed else "")
    return f"""## benchmark.yaml

```yaml
{world.yaml(name)}```

## environment.py

```python
{environment_text(world)}```

## witness.py

```python
{WITNESS}```
"""
