"""The journal and the list of things to do, as objects over their files."""

from pathlib import Path

import pytest
from kernel.notebook import Journal, Todo, TodoItem, UnknownItemError

LIST = "# TODO\n\n- [ ] T1: measure\n  why: the ball\n- [x] T2: build: the legs\n* [ ] look again\n"


@pytest.fixture
def todo(tmp_path: Path) -> Todo:
    """Return a list."""
    (tmp_path / "todo.md").write_text(LIST)
    return Todo(tmp_path / "todo.md")


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """Return a journal with its heading."""
    (tmp_path / "journal.md").write_text("# Journal\n")
    return Journal(tmp_path / "journal.md")


def test_items_have_their_ids_or_their_numbers(todo: Todo) -> None:
    assert todo.items == (
        TodoItem("T1", "measure", done=False),
        TodoItem("T2", "build: the legs", done=True),
        TodoItem("3", "look again", done=False),
    )


def test_a_tick_changes_its_line_and_nothing_else(todo: Todo, tmp_path: Path) -> None:
    todo.check("T1")
    assert (tmp_path / "todo.md").read_text() == LIST.replace("[ ] T1", "[x] T1")
    todo.uncheck("T1")
    assert (tmp_path / "todo.md").read_text() == LIST


def test_an_unknown_item_is_told_what_there_is(todo: Todo) -> None:
    with pytest.raises(UnknownItemError, match="no item 'T9'; it has T1, T2, 3"):
        todo.check("T9")


def test_a_list_that_was_written_anew_is_read_anew(todo: Todo, tmp_path: Path) -> None:
    (tmp_path / "todo.md").write_text("- [ ] A: one\n")
    assert [each.id for each in todo.items] == ["A"]
    assert repr(todo).startswith("[ ] A: one\n")


def test_entries_come_one_after_another_in_markdown(journal: Journal, tmp_path: Path) -> None:
    journal.add("build the\nlegs", "one floats", "measured from the wrong floor", "lower it")
    journal.add("lower it", "stands", "fine", "submit")
    assert (tmp_path / "journal.md").read_text() == (
        "# Journal\n\n## build the legs\n\n- Result: one floats\n- Reflection: measured from the wrong floor\n"
        "- Next step: lower it\n\n## lower it\n\n- Result: stands\n- Reflection: fine\n- Next step: submit\n"
    )
    assert len(journal.entries) == 2
    assert "2 entries" in repr(journal)


def test_a_journal_that_was_removed_begins_anew(journal: Journal, tmp_path: Path) -> None:
    (tmp_path / "journal.md").unlink()
    journal.add("a", "b", "c", "d")
    assert (tmp_path / "journal.md").read_text().startswith("# Journal\n\n## a\n")
