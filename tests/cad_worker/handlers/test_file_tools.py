"""Files of a session: shown, edited, written, and what may not be."""

import time
from pathlib import Path

import pytest
from contracts.events.session import FileEditRequested, FileRefused, FileViewed, FileViewRequested, FileWritten
from documents.workspaces.archive import MAX_FILE_BYTES

from tests.cad_worker.handlers.run_client import RunClient
from tests.support.kernel_world import GOOD_SCRIPT

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.usefixtures("opened")]

LINK = "import random\nos = [random][0]._os\n"
"""A bypass of the checker, for effects that only the sandbox prevents."""


async def views(
    client: RunClient, path: str, first: int | None = None, last: int | None = None
) -> FileViewed | FileRefused:
    """View a file."""
    answer = await client.handle(client.request(FileViewRequested, path=path, from_line=first, to_line=last))
    assert isinstance(answer, FileViewed | FileRefused)
    return answer


async def edits(client: RunClient, path: str, old_text: str, new_text: str) -> FileWritten | FileRefused:
    """Edit a file."""
    answer = await client.handle(client.request(FileEditRequested, path=path, old_text=old_text, new_text=new_text))
    assert isinstance(answer, FileWritten | FileRefused)
    return answer


async def test_view_shows_the_requested_lines(client: RunClient) -> None:
    await client.write_file("a.md", "one\ntwo\nthree\nfour")
    seen = [await views(client, "a.md"), await views(client, "a.md", 2, 3), await views(client, "a.md", 4, 99)]
    assert [(each.text, each.from_line, each.total_lines) for each in seen if isinstance(each, FileViewed)] == [
        ("one\ntwo\nthree\nfour", 1, 4),
        ("two\nthree\n", 2, 4),
        ("four", 4, 4),
    ]


async def test_view_of_a_long_file_is_limited(client: RunClient) -> None:
    await client.write_file("long.py", "".join(f"x{number} = {number}\n" for number in range(1000)))
    shown = await views(client, "long.py", 10)
    assert isinstance(shown, FileViewed)
    assert (len(shown.text.splitlines()), shown.total_lines) == (400, 1000)


async def test_read_only_files_can_be_viewed(client: RunClient) -> None:
    for path in ("utils/__init__.py", "plan.md"):
        assert isinstance(await views(client, path), FileViewed)


async def test_file_written_by_a_cell_can_be_viewed_and_edited(client: RunClient) -> None:
    await client.run_cell(
        f'{LINK}with os.fdopen(os.open("own.md", os.O_CREAT | os.O_WRONLY), "w") as f:\n    f.write("mine")'
    )
    shown = await views(client, "own.md")
    assert isinstance(shown, FileViewed), shown
    assert shown.text == "mine"
    written = await edits(client, "own.md", "mine", "ours")
    assert isinstance(written, FileWritten)
    assert written.text == "ours"


@pytest.mark.parametrize(
    ("path", "first", "last", "reason"),
    [
        ("nothing.py", None, None, "missing"),
        ("nowhere/x.py", None, None, "missing"),
        ("environment.glb", None, None, "not_text"),
        ("utils", None, None, "outside_workspace"),
        ("/etc/passwd", None, None, "outside_workspace"),
        ("../x", None, None, "outside_workspace"),
        ("script.py/x", None, None, "outside_workspace"),
        ("script.py", 900, None, "empty_range"),
        ("script.py", 3, 2, "empty_range"),
    ],
)
async def test_view_is_refused_with_a_reason(
    path: str, first: int | None, last: int | None, reason: str, client: RunClient
) -> None:
    refused = await views(client, path, first, last)
    assert isinstance(refused, FileRefused)
    assert (refused.reason, refused.path) == (reason, path)
    assert path in refused.detail


async def test_refused_view_of_a_missing_file_lists_files(client: RunClient) -> None:
    refused = await views(client, "skript.py")
    assert isinstance(refused, FileRefused)
    assert ", script.py, skills/bought-parts/SKILL.md, skills/build123d/SKILL.md, " in refused.detail
    assert refused.detail.endswith(", todo.md, utils/__init__.py")


def links(folder: str, secret: Path) -> None:
    """Leave a link to a file and one to its folder."""
    Path(folder, "link.md").symlink_to(secret)
    Path(folder, "links").symlink_to(secret.parent)


async def test_file_tools_do_not_follow_links(client: RunClient, tmp_path_factory: pytest.TempPathFactory) -> None:
    secret = tmp_path_factory.mktemp("secret") / "secret.md"
    secret.write_text("secret")
    folder = (await client.run_cell(f"{LINK}print(os.getcwd())")).observation.output.strip()
    links(folder, secret)
    for path in ("link.md", "links/secret.md"):
        for answer in (
            await views(client, path),
            await edits(client, path, "secret", "x"),
            await client.write_file(path, "x"),
        ):
            assert isinstance(answer, FileRefused)
            assert answer.reason == "outside_workspace"
    assert secret.read_text() == "secret"


async def test_edit_replaces_the_only_match_and_reports_the_whole_text(client: RunClient) -> None:
    await client.write_file("a.py", "x = 1\ny = 1\n")
    written = await edits(client, "a.py", "y = 1", "y = 2")
    assert isinstance(written, FileWritten)
    assert (written.text, written.size_bytes) == ("x = 1\ny = 2\n", 12)
    shown = await views(client, "a.py")
    assert isinstance(shown, FileViewed)
    assert shown.text == written.text


@pytest.mark.parametrize(
    ("old_text", "reason", "word"),
    [
        ("x = 3", "not_found", "a.py"),
        ("", "not_found", "empty"),
        ("    y = 1", "not_unique", "lines 2, 3"),
        ("x  = 1", "not_found", "a.py"),
        ("x = 1\n  y = 1", "not_found", "line 1 begins like it"),
    ],
)
async def test_edit_without_a_unique_match_changes_nothing(
    old_text: str, reason: str, word: str, client: RunClient
) -> None:
    await client.write_file("a.py", "x = 1\n    y = 1\n    y = 1\n")
    refused = await edits(client, "a.py", old_text, "z")
    assert isinstance(refused, FileRefused)
    assert refused.reason == reason
    assert word in refused.detail
    shown = await views(client, "a.py")
    assert isinstance(shown, FileViewed)
    assert shown.text == "x = 1\n    y = 1\n    y = 1\n"


@pytest.mark.parametrize(("line", "last"), [("a", "1, 1, 1"), ("\n", "8, 9, 10")])
async def test_edit_of_what_occurs_everywhere_costs_little(line: str, last: str, client: RunClient) -> None:
    """A file of the largest size, in which each character matches."""
    await client.write_file("a.txt", line * MAX_FILE_BYTES)
    began_s = time.process_time()
    refused = await edits(client, "a.txt", line, "z")
    assert time.process_time() - began_s < 8.0
    assert isinstance(refused, FileRefused)
    assert f"{MAX_FILE_BYTES} times" in refused.detail
    assert f"{last})" in refused.detail


@pytest.mark.parametrize("path", ["plan.md", "utils/__init__.py"])
async def test_read_only_files_cannot_be_edited(path: str, client: RunClient) -> None:
    shown = await views(client, path)
    assert isinstance(shown, FileViewed)
    refused = await edits(client, path, shown.text, "mine")
    assert isinstance(refused, FileRefused)
    assert refused.reason == "read_only"
    again = await views(client, path)
    assert isinstance(again, FileViewed)
    assert again.text == shown.text


async def test_import_after_an_edit_sees_the_new_text(client: RunClient) -> None:
    await client.write_file("sizes.py", "WIDTH = 12\n")
    assert (await client.run_cell("import sizes\nsizes.WIDTH")).observation.output == "12\n"
    await edits(client, "sizes.py", "12", "21")
    assert (await client.run_cell("import sizes\nsizes.WIDTH")).observation.output == "21\n"


async def test_run_script_runs_the_script_in_a_fresh_kernel(client: RunClient) -> None:
    await client.write_file("script.py", GOOD_SCRIPT + "print('built', 'secret' in dir())\n")
    done = await client.run_cell("from utils import run_script\nsecret = 1\nseen = run_script()\nprint(seen.status)")
    assert done.observation.status == "ok", done.observation.error
    assert "built False" in done.observation.output
    assert done.observation.output.endswith("ok\n")
    assert done.ending is None
    assert done.tool_replies is not None


async def test_run_script_reports_the_error_of_the_script(client: RunClient) -> None:
    await client.write_file("script.py", "from build123d import *\nassembly = Box(1, 1, 1) / 0\n")
    done = await client.run_cell(
        "from utils import run_script\nseen = run_script()\nprint(seen.status, seen.error.type)"
    )
    assert done.observation.output.endswith("error TypeError\n")
    assert "script.py" in done.observation.output


async def test_script_cannot_run_itself(client: RunClient) -> None:
    await client.write_file("script.py", "from utils import run_script\nrun_script()\n")
    done = await client.run_cell("from utils import run_script\nseen = run_script()\nprint(seen.error.message)")
    assert "belong in a cell" in done.observation.output


async def test_journal_and_todo_objects_write_their_files(client: RunClient) -> None:
    done = await client.run_cell(
        'print([each.id for each in todo.items])\ntodo.check("T1")\njournal.add("try", "works", "good", "go on")'
    )
    assert done.observation.status == "ok", done.observation.error
    assert done.observation.output == "['T1']\n"
    todo, journal = await views(client, "todo.md"), await views(client, "journal.md")
    assert isinstance(todo, FileViewed)
    assert isinstance(journal, FileViewed)
    assert todo.text == "# TODO\n\n- [x] T1: build\n"
    assert journal.text.startswith("# Journal\n\n## J1: try\n\n- Result: works\n")
