"""Timeline of a role in a run: all messages of its conversation in order, each with its token span.

Read from the event log alone: each `ModelCalled` holds the messages that its model had not seen before, and the reply,
so that each message occurs once. Replies that could not be used have their place, too; those that the next prompt shows
are among its new messages once more, cut and without leaked thoughts.
Calls that summarize old steps are not part of the conversation.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from contracts.envelope import Event, Role
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.models.conversation import Message

from agent.token_estimate import tokens_of_message

RULE = 1
"""Version of the token count."""
_COUNTERS: Mapping[int, Callable[[Message], int]] = {RULE: tokens_of_message}
"""By version. Old versions stay, so that the spans of recorded entries stay true."""


class UnknownTokenRuleError(ValueError):
    """The spans were counted by a rule that this code does not know."""


@dataclass(frozen=True)
class TimelineMessage:
    """One message and its span."""

    message: Message
    from_token: int
    """Included."""
    to_token: int
    """Excluded."""
    step: int
    """Of the model call that recorded it."""
    unusable: bool = False
    """A reply that was rejected."""


@dataclass(frozen=True)
class Timeline:
    """One role's messages in one run."""

    role: Role
    messages: tuple[TimelineMessage, ...]

    @property
    def tokens(self) -> int:
        """Tokens of all messages together."""
        return self.messages[-1].to_token if self.messages else 0

    def within(self, from_token: int, to_token: int) -> tuple[TimelineMessage, ...]:
        """Return the messages that overlap the span."""
        return tuple(each for each in self.messages if each.from_token < to_token and from_token < each.to_token)


def timeline_of(events: Iterable[Event], role: Role, rule: int = RULE) -> Timeline:
    """Return a role's timeline; `events` are all of one run. Raise `UnknownTokenRuleError`."""
    if rule not in _COUNTERS:
        known = sorted(_COUNTERS)
        raise UnknownTokenRuleError(f"the journal's spans were counted by rule {rule}; this code knows {known}")
    own = [event for event in events if event.role == role]
    rejected = {event.causation_id for event in own if isinstance(event, ReplyRejected)}
    recorded = [each for call in calls_of(own) for each in _recorded(call, unusable=call.causation_id in rejected)]
    ends = [0]
    for message, _, _ in recorded:
        ends.append(ends[-1] + _COUNTERS[rule](message))
    messages = [
        TimelineMessage(message, *span, step, unusable)
        for (message, step, unusable), span in zip(recorded, pairwise(ends), strict=True)
    ]
    return Timeline(role, tuple(messages))


def calls_of(own: Sequence[Event]) -> list[ModelCalled]:
    """Return the calls of the conversation itself, without those that summarize, in order."""
    calls = [event for event in own if isinstance(event, ModelCalled) and event.purpose == "act"]
    return sorted(calls, key=lambda call: call.step)


def _recorded(call: ModelCalled, *, unusable: bool) -> Iterable[tuple[Message, int, bool]]:
    yield from ((message, call.step, False) for message in call.new_messages)
    yield call.reply, call.step, unusable
