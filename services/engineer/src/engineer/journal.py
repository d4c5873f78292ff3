"""What is worth a journal entry: a design was tried, a verdict was given, or the agent wrote one itself."""

import re
from typing import Literal

from agent.loop.cell_reply import CellAction
from contracts.events.session import CellCompleted
from contracts.model import Model
from contracts.models.observation import Observation

_TRIES = re.compile(r"\b(?:simulate|validate_and_price|submit_for_review)\(")
_RESULT_CHARS = 400
_FILM_CHARS = 4_000
_WORDS_CHARS = 2_000
_ENTRY = re.compile(
    r"^## J(?P<number>\d{1,4}): (?P<intent>.+)\n\n- Result: (?P<result>.+)\n"
    r"- Reflection: (?P<reflection>.+)\n- Next step: (?P<next_step>.+)$",
    re.MULTILINE,
)
"""As `documents.journal` writes one; what stands in a workspace keeps to its form."""


class Trial(Model):
    """What is written down with the next reply, which says what it taught, unless the agent has said so itself."""

    intent: str
    result: str
    reflection: str = ""
    next_step: str = ""
    about: Literal["trial", "simulation", "verdict", "chapter"] = "trial"
    film_md: str = ""
    key_frames: tuple[str, ...] = ()


def tries_a_design(code: str) -> bool:
    """Tell whether a cell prices, previews or submits."""
    return _TRIES.search(code) is not None


def result_of(observation: Observation) -> str:
    """Say in a few words what came of a cell."""
    if observation.error is not None:
        return f"{observation.status}: {observation.error.type}: {observation.error.message}"[:_RESULT_CHARS]
    return f"{observation.status}: {observation.output.strip()}"[:_RESULT_CHARS]


def trial_of(event: CellCompleted, cell: CellAction | None, written: int) -> Trial | None:
    """Return what a cell is worth in the journal: in the agent's own words, where it has written any.

    So many entries were `written` before.
    """
    own, simulated = own_words(event.journal_md or "", after=written), event.simulations > 0
    purpose, code = (cell.purpose, cell.code) if cell else ("", "")
    if own is None and not simulated and not tries_a_design(code):
        return None
    trial = own or Trial(intent=purpose, result=result_of(event.observation))
    if not simulated:
        return trial
    frames = tuple(image.id for image in event.observation.images if image.id)
    update = {"about": "simulation", "film_md": event.simulated_md[:_FILM_CHARS], "key_frames": frames}
    return trial.model_copy(update=update)


def own_words(written: str, after: int = 0) -> Trial | None:
    """Return what the agent wrote into journal.md, all entries beyond the number `after` as one; None: nothing."""
    found = [each for each in _ENTRY.finditer(written) if int(each["number"]) > after]
    if not found:
        return None
    names = ("intent", "result", "reflection", "next_step")
    words = {name: "; ".join(each[name] for each in found)[:_WORDS_CHARS] for name in names}
    return Trial.model_validate({"about": "chapter", **words})


def last_number(written: str) -> int:
    """Return the number of the newest entry in journal.md; 0: it has none."""
    return max((int(each["number"]) for each in _ENTRY.finditer(written)), default=0)
