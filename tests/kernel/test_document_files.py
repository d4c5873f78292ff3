"""`todo` and `journal`: objects over todo.md and journal.md."""

from pathlib import Path

import pytest
from documents.journal import read_journal
from documents.parser import DocumentError
from documents.todo import read_todo
from kernel.api.document_files import JournalFile, TodoFile

LIST = "# TODO\n\n- [ ] T1: measure\n- [x] T2: build: the legs\n- [ ] T3: look again\n"


@pytest.fixture
def todo(tmp_path: Path) -> TodoFile:
    (tmp_path / "todo.md").write_text(LIST)
    return TodoFile(tmp_path / "todo.md")


@pytest.fixture
def journal(tmp_path: Path) -> JournalFile:
    (tmp_path / "journal.md").write_text("# Journal\n")
    return JournalFile(tmp_path / "journal.md")


def test_changes_affect_only_their_line(todo: TodoFile, tmp_path: Path) -> None:
    todo.check("T1")
    assert (tmp_path / "todo.md").read_text() == LIST.replace("[ ] T1", "[x] T1")
    todo.uncheck("T1")
    assert (tmp_path / "todo.md").read_text() == LIST
    todo.drop("T3", "seen\nalready")
    assert todo.add(" one  more ") == "T4"
    text = (tmp_path / "todo.md").read_text()
    assert text == LIST.replace("[ ] T3: look again", "[-] T3: look again (reason: seen already)") + (
        "- [ ] T4: one more\n"
    )
    assert read_todo(text).items == todo.items


def test_dropped_item_cannot_change(todo: TodoFile, tmp_path: Path) -> None:
    todo.drop("T1", "no ball")
    before = (tmp_path / "todo.md").read_text()
    for change in (todo.check, todo.uncheck):
        with pytest.raises(DocumentError, match="T1 goes from dropped to"):
            change("T1")
    with pytest.raises(ValueError, match="reason is empty"):
        todo.drop("T2", " \n")
    assert (tmp_path / "todo.md").read_text() == before


def test_malformed_todo_file_is_reported(todo: TodoFile, tmp_path: Path) -> None:
    (tmp_path / "todo.md").write_text("- [ ] A: one\n")
    assert "line 1: the first line is `- [ ] A: one`" in repr(todo)
    with pytest.raises(DocumentError):
        todo.check("A")


def test_entries_are_appended_as_markdown(journal: JournalFile, tmp_path: Path) -> None:
    journal.add("build the\nlegs", "one floats", "measured from the wrong floor", "lower it")
    journal.add("lower it", "stands", "fine", "submit", film="the ball rests", frames=("3f2a", "9c01"))
    text = (tmp_path / "journal.md").read_text()
    assert text == (
        "# Journal\n\n## J1: build the legs\n\n- Result: one floats\n- Reflection: measured from the wrong floor\n"
        "- Next step: lower it\n\n## J2: lower it\n\n- Result: stands\n- Reflection: fine\n- Next step: submit\n"
        "- Film: the ball rests\n- Frames: 3f2a, 9c01\n"
    )
    assert read_journal(text).entries == journal.entries
    assert "2 entries" in repr(journal)


def test_removed_journal_file_is_created_again(journal: JournalFile, tmp_path: Path) -> None:
    (tmp_path / "journal.md").unlink()
    journal.add("a", "b", "c", "d")
    assert (tmp_path / "journal.md").read_text().startswith("# Journal\n\n## J1: a\n")
