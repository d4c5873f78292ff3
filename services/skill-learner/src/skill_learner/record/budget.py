"""The tokens that the skill-learner may read in one run."""

from agent.token_estimate import tokens_of_message
from contracts.models.conversation import Message

MIN_TOKENS = 60
"""With fewer left nothing more is shown."""
SPENT = "Your reading budget is used up. Propose the change that you can prove, or call `done`."


def tokens_of(text: str) -> int:
    """Return the tokens of a text as a message."""
    return tokens_of_message(Message(author="user", text=text))


def fit(text: str, left: int) -> str:
    """Return the text with what is left to read; cut if it does not fit."""
    if left < MIN_TOKENS:
        return SPENT
    shown = text
    while tokens_of(_with_rest(shown, left)) > left:
        shown = shown[: int(len(shown) * 0.9)].rstrip() + " …"
        if len(shown) < MIN_TOKENS:
            return SPENT
    return _with_rest(shown, left)


def _with_rest(text: str, left: int) -> str:
    return f"{text}\n\n({max(left - tokens_of(text) - 12, 0)} tokens left to read)"
