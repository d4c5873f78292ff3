"""The author's replies: a plan for a brief, then cells in its kernel: files and create, a test, the submission."""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.author.environment_text import environment_text
from offline_expert.author.families import FAMILIES, draw
from offline_expert.author.steps import last_step, submit, test_worlds, write_files
from offline_expert.author.witness_text import WITNESS
from offline_expert.author.words import Wish, read_wish, understood
from offline_expert.author.world import InventedWorld
from offline_expert.markdown import last_containing

_BRIEF = "# Brief"
_WORKSPACE = "# Workspace"
_LEVEL = re.compile(r"^- level: (?P<value>[123])$", re.MULTILINE)
_TASK = re.compile(r"^What the user asks for:\s+(?P<fence>~+)text\n(?P<text>.*?)\n(?P=fence)", re.DOTALL | re.MULTILINE)
_NUMBER = re.compile(r"^- number: (?P<value>[0-9]+)$", re.MULTILINE)


class NoBriefError(ValueError):
    """The conversation has no brief with a level and a number."""


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return the plan, or in the kernel the next step; each world that failed leads to another draw."""
    level, number, text = _brief(messages)
    wish = read_wish(text)
    if not any(message.text.startswith(_WORKSPACE) for message in messages):
        return AIMessage(_plan(draw(number, 0, level, wish), understood(text, level)))
    done = last_step(messages)
    if done is None:
        return _write(level, number, 0, wish)
    if not done.has_succeeded:
        return _write(level, number, done.attempt + 1, wish)
    return test_worlds(done.attempt) if done.stage == "create" else submit(done.attempt)


def _write(level: int, number: int, attempt: int, wish: Wish) -> AIMessage:
    """Return the reply that writes the files of a drawn world, and builds it."""
    world = draw(number, attempt, level, wish)
    name = f"{world.family}-{number}" + (f"-{attempt + 1}" if attempt else "")
    files = {
        "benchmark.yaml": world.yaml(name),
        "environment.py": environment_text(world),
        "witness.py": WITNESS,
    }
    return write_files(files, attempt)


def _brief(messages: Sequence[BaseMessage]) -> tuple[int, int, str]:
    text = last_containing(messages, _BRIEF)
    level, number = _LEVEL.search(text), _NUMBER.search(text)
    if level is None or number is None:
        raise NoBriefError("the brief names no level or no number")
    asked = _TASK.search(text)
    return int(level["value"]), int(number["value"]), asked["text"] if asked else ""


def _plan(world: InventedWorld, reading: Sequence[str]) -> str:
    family = world.family
    features = "\n".join(f"- {sentence}" for sentence in world.sentences)
    moves = "A motor of the environment moves something, again and again."
    motion = moves if world.has_motion else "nothing"
    return f"""## Task

Bring a ball of {world.ball:g} mm into a goal zone that is lower and to the side. Family: {family}.

Of the brief: {"; ".join(reading)}.

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
