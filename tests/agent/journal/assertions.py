"""Checks that a journal covers its timeline without gaps and overlaps."""

from itertools import pairwise

from agent.journal.reader import OPEN_END, RoleJournal, message_sections


def assert_covered(journal: RoleJournal) -> None:
    """Every token is in exactly one journal section, one message and one message section."""
    timeline, sections = journal.timeline, journal.sections
    assert [each.from_token for each in sections] == [0, *(each.to_token for each in sections[:-1])]
    assert sections[-1].to_token == timeline.tokens
    assert all(each.from_token < each.to_token for each in sections)
    covered = [
        message for each in sections for message in journal.messages(each.entry.number if each.entry else OPEN_END)
    ]
    assert covered == list(timeline.messages), "a message is in no journal section, or in two"
    for message in timeline.messages:
        parts = message_sections(message)
        assert (parts[0].from_token, parts[-1].to_token) == (message.from_token, message.to_token)
        assert all(before.to_token == after.from_token for before, after in pairwise(parts))
