"""Whether a journal leaves nothing out, and says nothing twice."""

from itertools import pairwise

from agent.journal.reader import OPEN_END, RoleJournal, message_sections


def assert_covered(journal: RoleJournal) -> None:
    """Every token lies in exactly one chapter, one message and one section."""
    timeline, chapters = journal.timeline, journal.sections
    assert [each.from_token for each in chapters] == [0, *(each.to_token for each in chapters[:-1])]
    assert chapters[-1].to_token == timeline.tokens
    assert all(each.from_token < each.to_token for each in chapters)
    told = [said for each in chapters for said in journal.messages(each.entry.number if each.entry else OPEN_END)]
    assert told == list(timeline.messages), "a message lies in no chapter, or in two"
    for said in timeline.messages:
        sections = message_sections(said)
        assert (sections[0].from_token, sections[-1].to_token) == (said.from_token, said.to_token)
        assert all(before.to_token == after.from_token for before, after in pairwise(sections))
