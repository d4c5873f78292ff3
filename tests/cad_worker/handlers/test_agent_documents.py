"""todo.md and journal.md keep their form, whether a tool or a cell writes them."""

import pytest
from contracts.events.session import FileEditRequested, FileRefused, FileWritten
from documents.observation import observation_markdown

from tests.cad_worker.handlers.run_client import RunClient

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.usefixtures("opened")]

TODO = "# TODO\n\n- [ ] T1: build\n"
JOURNAL = "# Journal\n\n## J1: build\n\n- Result: stands\n- Reflection: good\n- Next step: submit\n"
WRITES = "[todo][0]._file.write_text({text!r})"
"""Bypasses `JournalFile`: the path of the file is private to it."""


@pytest.mark.parametrize(
    ("path", "text", "problem"),
    [
        ("todo.md", "- [ ] T1: build\n", "line 1: the first line is `- [ ] T1: build`"),
        ("./todo.md", "# TODO\n\n- [x] T1: built\n", "line 3: the text of T1 was changed to `built`"),
        ("todo.md", "# TODO\n\n- [x] T1: build\n- [ ] T3: go on\n", "line 4: T3 is where T2 belongs"),
        ("journal.md", "# Journal\n\n## J1: build\n\n- Result: stands\n", "line 3: the entry has no Reflection"),
    ],
)
async def test_malformed_document_is_refused_with_its_line(
    client: RunClient, path: str, text: str, problem: str
) -> None:
    refused = await client.write_file(path, text)
    assert isinstance(refused, FileRefused)
    assert refused.reason == "malformed"
    assert problem in refused.detail
    done = await client.run_cell("print(todo.items[0].line, len(journal.entries))")
    assert done.observation.output == "- [ ] T1: build 0\n"


async def test_well_formed_documents_are_written_and_edited(client: RunClient) -> None:
    assert isinstance(await client.write_file("journal.md", JOURNAL), FileWritten)
    edit = {"path": "todo.md", "old_text": "- [ ] T1: build", "new_text": "- [x] T1: build\n- [ ] T2: fix"}
    assert isinstance(await client.handle(client.request(FileEditRequested, **edit)), FileWritten)
    edit = {"path": "journal.md", "old_text": "stands", "new_text": "falls"}
    refused = await client.handle(client.request(FileEditRequested, **edit))
    assert isinstance(refused, FileRefused)
    assert "entry J1 was changed" in refused.detail


async def test_document_spoilt_by_a_cell_is_restored_and_reported(client: RunClient) -> None:
    await client.write_file("journal.md", JOURNAL)
    spoilt = await client.run_cell(WRITES.format(text="nothing to do\n") + "\njournal.add('a', 'b', 'c', 'd')")
    assert spoilt.observation.status == "ok", spoilt.observation.error
    (remark,) = spoilt.observation.put_back
    assert remark.startswith("todo.md was restored")
    assert "the first line is `nothing to do`" in remark
    assert remark[:40] in observation_markdown(spoilt.observation)
    after = await client.run_cell("print(todo.items[0].line, len(journal.entries))")
    assert after.observation.output == "- [ ] T1: build 2\n"
    assert after.observation.put_back == ()


async def test_document_cannot_be_removed_by_a_cell(client: RunClient) -> None:
    taken = await client.run_cell("[todo][0]._file.unlink()")
    assert taken.observation.error is not None
    assert taken.observation.error.type == "PermissionError"
    assert taken.observation.put_back == ()
