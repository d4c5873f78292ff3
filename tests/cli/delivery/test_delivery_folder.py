"""The folder of a delivery: what may be replaced, and what an engineer's file names can reach."""

import io
import zipfile
from pathlib import Path
from uuid import uuid4

import pytest
from artifacts.testing import FakeArtifacts
from cli.runs.delivery import deliver
from cli.runs.delivery_folder import LIST, require_own_or_empty, write_delivery
from contracts.envelope import answering
from contracts.events.run import EngineeringRequested, RunSucceeded
from contracts.models.artifact import ArtifactRef
from documents.workspaces.archive import MAX_TOTAL_BYTES
from local_stack.errors import UserError
from pydantic import ValidationError

from tests.contracts import example_values as values

USERS = {"run": b"#!/bin/sh", "conftest.py": b"mine", "pyproject.toml": b"[project]", "notes/a.md": b"mine"}


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def users_folder(folder: Path) -> Path:
    for name, data in USERS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def zipped(names: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in names.items():
            file.writestr(name, content)
    return data.getvalue()


async def delivered(workspace: bytes, folder: Path, build: bytes | None = None) -> list[str]:
    """Deliver a run whose engineer left this workspace, and cad-worker this build package."""
    artifacts = FakeArtifacts()

    async def put(data: bytes) -> ArtifactRef:
        return await artifacts.put(data, "application/zip")

    request = EngineeringRequested(
        id=uuid4(), run_id=values.RUN, role="planner", producer="cli", assignment=values.ASSIGNMENT, model="offline"
    )
    delivery = values.DELIVERY.model_copy(
        update={
            "script": await put(workspace),
            "step": await put(b"step"),
            "glb": await put(b"glb"),
            "part_steps": {"floor": await put(b"part")},
            "build": None if build is None else await put(build),
            "documents": None,
            "media": None,
        }
    )
    end = RunSucceeded(**answering(request, "planner"), delivery=delivery, bill=values.BILL, result=values.RESULT)
    return await deliver(request, end, artifacts, folder, "<p>report</p>")


async def test_files_of_the_engineer_lie_in_a_folder_of_their_own(tmp_path: Path) -> None:
    files = await delivered(zipped({"script.py": b"a = 1", "report.md": b"forged", "run": b"evil"}), tmp_path / "out")
    assert {"workspace/script.py", "workspace/report.md", "workspace/run", "report.md", "report.html"} <= set(files)
    assert (tmp_path / "out" / "workspace" / "report.md").read_bytes() == b"forged"
    assert (tmp_path / "out" / "report.md").read_bytes() != b"forged"
    assert not (tmp_path / "out" / "run").exists()


async def test_build_package_is_unpacked_into_a_folder_of_its_own(tmp_path: Path) -> None:
    package = zipped({"README.md": b"# How to build it", "printed/floor.3mf": b"PK"})
    files = await delivered(zipped({"script.py": b"a = 1"}), tmp_path / "out", package)
    assert {"build/README.md", "build/printed/floor.3mf"} <= set(files)
    assert "build.zip" not in files
    assert (tmp_path / "out" / "build" / "README.md").read_bytes() == b"# How to build it"
    assert b"Build package" in (tmp_path / "out" / "report.md").read_bytes()


@pytest.mark.parametrize("package", [b"not a zip", zipped({"../../escaped.md": b"evil"})], ids=["damaged", "escaping"])
async def test_unusable_build_package_is_an_error_that_writes_nothing_outside(tmp_path: Path, package: bytes) -> None:
    with pytest.raises(UserError, match=r"damaged|outside of the folder"):
        await delivered(zipped({"script.py": b"a = 1"}), tmp_path / "deep" / "out", package)
    assert "escaped.md" not in {path.rpartition("/")[2] for path in files_in(tmp_path)}


async def test_folder_of_the_user_is_refused_and_unchanged(tmp_path: Path) -> None:
    users_folder(tmp_path)
    with pytest.raises(UserError, match="not empty and not a delivery"):
        require_own_or_empty(tmp_path)
    with pytest.raises(UserError, match="not empty and not a delivery"):
        await delivered(zipped({"run": b"evil"}), tmp_path)
    assert files_in(tmp_path) == USERS


@pytest.mark.parametrize(
    "name",
    ["../evil.py", "/etc/passwd", "a/../../b", "..\\evil.py", ".bashrc", ".git/hooks/post-checkout", "a\x1b[31m.py"],
)
async def test_unsafe_name_in_a_workspace_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="its workspace cannot be delivered"):
        await delivered(zipped({"script.py": b"", name: b"evil"}), tmp_path / "out")
    assert not (tmp_path / "out").exists()


async def test_workspace_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="its workspace cannot be delivered"):
        await delivered(zipped({"script.py": bytes(MAX_TOTAL_BYTES + 1)}), tmp_path / "out")


@pytest.mark.parametrize("label", ["../../evil", "a/b", "", "x" * 65, "\x1b[31m"])
def test_unsafe_label_of_a_delivered_part_is_invalid(label: str) -> None:
    delivery = values.DELIVERY.model_dump()
    delivery["part_steps"] = {label: delivery["step"]}
    with pytest.raises(ValidationError):
        type(values.DELIVERY).model_validate(delivery)


def test_later_delivery_replaces_the_earlier_one_and_nothing_else(tmp_path: Path) -> None:
    write_delivery(tmp_path, {"report.md": b"1", "parts/a.step": b"1", "workspace/lib/x.py": b"1"})
    (tmp_path / "mine.md").write_bytes(b"mine")
    write_delivery(tmp_path, {"report.md": b"2", "parts/b.step": b"2"})
    left = files_in(tmp_path)
    assert left.pop(LIST)
    assert left == {"report.md": b"2", "parts/b.step": b"2", "mine.md": b"mine"}
    assert not (tmp_path / "workspace").exists()


def test_file_that_the_user_added_is_not_overwritten(tmp_path: Path) -> None:
    write_delivery(tmp_path, {"report.md": b"1"})
    (tmp_path / "video.mp4").write_bytes(b"mine")
    with pytest.raises(UserError, match=r"video\.mp4 exists and is not part of the earlier delivery"):
        write_delivery(tmp_path, {"report.md": b"2", "video.mp4": b"2"})
    assert (tmp_path / "video.mp4").read_bytes() == b"mine"
    require_own_or_empty(tmp_path)  # an interrupted delivery can be repeated


def test_links_in_the_folder_lead_nowhere(tmp_path: Path) -> None:
    users = users_folder(tmp_path / "users")
    out = tmp_path / "out"
    write_delivery(out, {"report.md": b"1", "parts/a.step": b"1", "notes/a.md": b"1"})
    (out / "report.md").unlink()
    (out / "report.md").symlink_to(users / "run")
    (out / "parts" / "a.step").unlink()
    (out / "parts").rmdir()
    (out / "parts").symlink_to(users)
    with pytest.raises(UserError, match="cannot be written"):
        write_delivery(out, {"report.md": b"2", "parts/run": b"2"})
    assert files_in(users) == USERS


@pytest.mark.parametrize("path", ["../users/run", "/etc/hostname", ""])
def test_list_with_foreign_paths_makes_no_delivery(tmp_path: Path, path: str) -> None:
    users = users_folder(tmp_path / "users")
    out = tmp_path / "out"
    out.mkdir()
    (out / LIST).write_text(f'{{"files": ["{path}"]}}')
    with pytest.raises(UserError, match="not a delivery"):
        write_delivery(out, {"report.md": b"2"})
    assert files_in(users) == USERS
