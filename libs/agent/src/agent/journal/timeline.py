"""All that one role was told and said in one run, in order, and where each message stands by tokens.

The log alone tells it: each `ModelCalled` has what its model had not seen before, and the reply. Each message stands
there once. A reply that could not be read has its place, too, though no later prompt shows it. What a role was asked
to sum up for its own memory stands beside the conversation, and is no part of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from contracts.envelope import Event, Role
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.models.conversation import Message

from agent.context.token_estimate import tokens_of_message

RULE = 1
"""By which tokens are counted now."""
_COUNTED: Mapping[int, Callable[[Message], int]] = {RULE: tokens_of_message}
"""By each rule that entries in logs may have been counted by; an old one stays, so that their spans stay true."""


class UnknownTokenRuleError(ValueError):
    """The spans were counted by a rule that this code does not know."""


@dataclass(frozen=True)
class TimelineMessage:
    """One message and its place."""

    message: Message
    from_token: int
    """Included."""
    to_token: int
    """Excluded."""
    step: int
    """Of the model call in which it stands."""
    unusable: bool = False
    """A reply that could not be used."""


@dataclass(frozen=True)
class Timeline:
    """One role's messages in one run."""

    role: Role
    messages: tuple[TimelineMessage, ...]

    @property
    def tokens(self) -> int:
        """How long it is."""
        return self.messages[-1].to_token if self.messages else 0

    def within(self, from_token: int, to_token: int) -> tuple[TimelineMessage, ...]:
        """Return the messages of which any token lies in the span."""
        return tuple(each for each in self.messages if each.from_token < to_token and from_token < each.to_token)


def timeline_of(events: Iterable[Event], role: Role, rule: int = RULE) -> Timeline:
    """Return a role's timeline; `events` are all of one run. Raise `UnknownRuleError`."""
    if rule not in _COUNTED:
        raise UnknownTokenRuleError(
            f"the journal's spans were counted by rule {rule}; this code knows {sorted(_COUNTED)}"
        )
    own = [event for event in events if event.role == role]
    unread = {event.causation_id for event in own if isinstance(event, ReplyRejected)}
    said = [each for call in calls_of(own) for each in _said_in(call, unread=call.causation_id in unread)]
    ends = [0]
    for message, _, _ in said:
        ends.append(ends[-1] + _COUNTED[rule](message))
    spoken = [
        TimelineMessage(message, *span, step, bad)
        for (message, step, bad), span in zip(said, pairwise(ends), strict=True)
    ]
    return Timeline(role, tuple(spoken))


def calls_of(own: Sequence[Event]) -> list[ModelCalled]:
    """Return the calls of the conversation itself, in their order."""
    calls = [event for event in own if isinstance(event, ModelCalled) and event.purpose == "act"]
    return sorted(calls, key=lambda call: call.step)


def _said_in(call: ModelCalled, *, unread: bool) -> Iterable[tuple[Message, int, bool]]:
    yield from ((message, call.step, False) for message in call.new_messages)
    yield call.reply, call.step, unread
