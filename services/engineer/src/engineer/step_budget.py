"""How many replies are left, and what is said before the last one."""

from agent.loop.prompts import Prompts
from contracts.models.conversation import Message

from engineer.executors.executor import Acting
from engineer.notes import EngineerNotes

_ANNOUNCED = 5
"""So many replies before the end it is said how many are left."""


def replies_left(notes: EngineerNotes) -> int:
    """Return how many replies the model may still give."""
    assert notes.plan is not None
    return max(0, notes.plan.budget.max_steps - notes.model_calls)


def last_words(prompts: Prompts, acting: Acting, says: tuple[Message, ...], left: int) -> tuple[Message, ...]:
    """Return what is said, and at the end of it that few replies are left, or that the next one is the last."""
    is_last = left == 1 or acting.has_one_reply
    if not is_last and left > _ANNOUNCED:
        return says
    name = "last_reply" if is_last else "few_replies"
    notice = prompts.render(name, left=left, way=acting.prompt)
    newest = says[-1]
    return (*says[:-1], newest.model_copy(update={"text": f"{newest.text}\n\n{notice}"}))
