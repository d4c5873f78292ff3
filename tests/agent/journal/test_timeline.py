"""Entries and the open end cover every token of a role's timeline once, whatever happens to the role."""

import asyncio

import pytest
from agent.journal.reader import journal_of
from agent.journal.timeline import UnknownTokenRuleError, timeline_of
from agent.token_estimate import tokens_of_message, tokens_of_messages
from contracts.events.conversation import JournalEntryAdded, ModelCalled, ReplyRejected
from contracts.models.conversation import Message
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.journal.assertions import assert_covered
from tests.agent.journal.journaling_role import Conversation, ReplyKind

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)
MARKDOWN = st.lists(st.one_of(TEXT, st.sampled_from(["# A", "## B", "```python", "```", "~~~~", ""])), max_size=6)
KINDS: st.SearchStrategy[ReplyKind] = st.sampled_from(["act", "note", "note", "malformed"])
REPLIES = st.lists(st.tuples(KINDS, MARKDOWN.map("\n".join)), min_size=1, max_size=9)


@settings(max_examples=12, deadline=None)
@given(replies=REPLIES, answers=st.lists(TEXT, min_size=1, max_size=4), lost=st.frozensets(st.integers(0, 8)))
def test_journal_covers_every_token_once_after_retries_and_lost_states(
    replies: list[tuple[ReplyKind, str]], answers: list[str], lost: frozenset[int]
) -> None:
    events = asyncio.run(Conversation(replies).run(answers, lost_at=lost))
    journal = journal_of(events, "engineer")
    assert_covered(journal)
    calls = [event for event in events if isinstance(event, ModelCalled)]
    recorded = [message for call in calls for message in (*call.new_messages, call.reply)]
    assert [each.message for each in journal.timeline.messages] == recorded
    assert journal.timeline.tokens == tokens_of_messages(recorded)
    assert [entry.number for entry in journal.entries] == list(range(1, len(journal.entries) + 1))


async def test_timeline_marks_a_rejected_reply_as_unusable() -> None:
    events = await Conversation([("malformed", "x" * 90), ("note", "y"), ("act", "z")]).run(["seen"])
    journal = journal_of(events, "engineer")
    assert [(each.message.author, each.unusable) for each in journal.timeline.messages] == [
        ("system", False),
        ("user", False),
        ("assistant", True),
        ("assistant", False),  # as the next prompt shows it
        ("user", False),
        ("assistant", False),
        ("user", False),
        ("assistant", False),
    ]
    (entry,) = journal.entries
    assert entry.to_token == sum(tokens_of_message(each.message) for each in journal.timeline.messages[:5])
    assert any(isinstance(event, ReplyRejected) for event in events)


async def test_restored_thread_writes_the_same_entries() -> None:
    replies: list[tuple[ReplyKind, str]] = [
        ("act", "a"),
        ("note", "b"),
        ("malformed", "c"),
        ("note", "d"),
        ("act", "e"),
    ]
    steady = await Conversation(replies).run(["one", "two"])
    forgetful = await Conversation(replies).run(["one", "two"], lost_at=frozenset(range(9)))
    spans = [
        [(entry.number, entry.from_token, entry.to_token) for entry in events if isinstance(entry, JournalEntryAdded)]
        for events in (steady, forgetful)
    ]
    assert spans[0] == spans[1]
    assert len(spans[0]) == 2


def test_token_count_of_a_message_is_pinned() -> None:
    """Entries in old logs hold spans that were counted so: count otherwise by a new rule, and keep this one."""
    message = Message(
        author="assistant", text="## Purpose\n\nÜberall 3.14159 mm", reasoning=("not sent without calls",)
    )
    assert tokens_of_message(message) == 15
    with pytest.raises(UnknownTokenRuleError, match="rule 99"):
        timeline_of([], "engineer", rule=99)
