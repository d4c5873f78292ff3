"""Packed benchmarks: equal folders give equal bytes, and what strangers packed is refused with its reason."""

import gzip
import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from benchmarks.archive import files_of, pack, unpack
from benchmarks.loader import INCLUDE, SHARED_WITNESS, SUITE, BenchmarkError, load
from benchmarks.regular_file import MAX_FILE_BYTES, MAX_TOTAL_BYTES

FILES = {"benchmark.yaml": b"name: a\n", "environment.py": b"pass\n"}


def tar_of(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for member, content in members:
            member.size = len(content) if member.isreg() else 0
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def named(name: str, content: bytes = b"") -> bytes:
    return tar_of((tarfile.TarInfo(name), content))


def linked(kind: bytes) -> bytes:
    member = tarfile.TarInfo("a/benchmark.yaml")
    member.type, member.linkname = kind, "/etc/passwd"
    return tar_of((member, b""))


def zip_of(*members: tuple[str, bytes, int]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, kind in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = (kind | 0o644) << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


@pytest.mark.parametrize("suffix", [".tar.gz", ".zip"])
def test_equal_folders_give_equal_bytes(tmp_path: Path, suffix: str) -> None:
    for name in ("one", "two"):
        copytree(SUITE / "detour", tmp_path / name)
    for path in (tmp_path / "two").iterdir():
        os.utime(path, (1e9, 1e9))
        path.chmod(0o600)
    (tmp_path / "two" / "notes.txt").write_text("not packed")
    one, two = (pack("detour", files_of(tmp_path / name), Path(suffix).suffix) for name in ("one", "two"))
    assert one == two


def test_packed_witness_has_what_it_includes() -> None:
    witness = files_of(SUITE / "corridor")["witness.py"].decode()
    assert INCLUDE not in witness
    assert SHARED_WITNESS.read_text("utf-8") in witness


@pytest.mark.parametrize("suffix", [".tar.gz", ".zip"])
def test_packed_benchmark_is_unpacked_as_it_was(tmp_path: Path, suffix: str) -> None:
    copytree(SUITE / "detour", tmp_path / "detour")
    files = files_of(tmp_path / "detour")
    assert set(files) == {"benchmark.yaml", "level-1.yaml", "level-3.yaml", "environment.py", "witness.py"}
    archive = tmp_path / f"detour{suffix}"
    archive.write_bytes(pack("detour", files, archive.suffix))
    assert unpack(archive) == files


def test_linked_file_is_not_packed(tmp_path: Path) -> None:
    copytree(SUITE / "detour", tmp_path / "detour")
    (tmp_path / "detour" / "witness.py").unlink()
    (tmp_path / "detour" / "witness.py").symlink_to("/etc/hostname")
    with pytest.raises(BenchmarkError, match=r"witness\.py: it cannot be read: it is a link"):
        files_of(tmp_path / "detour")
    assert load(str(tmp_path / "detour"), 0).file.name == "detour"


@pytest.mark.parametrize(
    ("suffix", "packed", "reason"),
    [
        (".tar.gz", lambda: named("/benchmark.yaml"), "is not a relative path"),
        (".tar.gz", lambda: named("C:\\benchmark.yaml"), "is not a relative path"),
        (".tar.gz", lambda: named("../benchmark.yaml"), "leaves its folder"),
        (".tar.gz", lambda: named("a/b/benchmark.yaml"), "is not a file of a benchmark"),
        (".tar.gz", lambda: named("a/run.sh"), "is not a file of a benchmark"),
        (".tar.gz", lambda: linked(tarfile.SYMTYPE), "is a link or a device"),
        (".tar.gz", lambda: linked(tarfile.LNKTYPE), "is a link or a device"),
        (".tar.gz", lambda: linked(tarfile.CHRTYPE), "is a link or a device"),
        (".tar.gz", lambda: named("a/witness.py", bytes(MAX_FILE_BYTES + 1)), "more than 1000000; shorten it"),
        (".tar.gz", lambda: gzip.compress(bytes(MAX_TOTAL_BYTES + 1)), "its content is larger than"),
        (".tar.gz", lambda: os.urandom(MAX_TOTAL_BYTES + 1), "it has more than 4000000 bytes"),
        (".tar.gz", lambda: b"no archive", "it cannot be unpacked"),
        (".tar.gz", lambda: pack("a", FILES, ".gz")[:60], "it cannot be unpacked"),
        (".tar.gz", lambda: pack("a", {"benchmark.yaml": b""}, ".gz"), "environment.py missing"),
        (".tar.gz", lambda: pack("a", {f"level-{n}.yaml": b"" for n in range(30)}, ".gz"), "more than 20 files"),
        (".zip", lambda: zip_of(("../benchmark.yaml", b"", stat.S_IFREG)), "leaves its folder"),
        (".zip", lambda: zip_of(("a/benchmark.yaml", b"/etc/passwd", stat.S_IFLNK)), "is a link or a device"),
        (".zip", lambda: zip_of(("a/witness.py", bytes(MAX_FILE_BYTES + 1), stat.S_IFREG)), "shorten it"),
        (".zip", lambda: zip_of(*((f"{each}/benchmark.yaml", b"", 0) for each in "ab")), "occurs twice"),
        (".zip", lambda: zip_of(("a/benchmark.yaml", b"", 0), ("b/environment.py", b"", 0)), "2 folders"),
        (".zip", lambda: b"no archive", "it cannot be unpacked"),
    ],
)
def test_archive_of_a_stranger_is_refused_with_its_reason(
    tmp_path: Path, suffix: str, packed: Callable[[], bytes], reason: str
) -> None:
    archive = tmp_path / f"strange{suffix}"
    archive.write_bytes(packed())
    with pytest.raises(BenchmarkError) as refused:
        unpack(archive)
    assert reason in str(refused.value)
