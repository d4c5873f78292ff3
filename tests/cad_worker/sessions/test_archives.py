"""Zips that workspaces begin with are untrusted."""

import io
import stat
import struct
import zipfile
from collections.abc import Callable

import pytest
from documents.workspaces.archive import (
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_TOTAL_BYTES,
    InvalidWorkspaceError,
    unpack_strictly,
)

Member = tuple[str | zipfile.ZipInfo, bytes | str]


def packed(*members: Member, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip of these members, whatever their names."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def link(name: str, kind: int) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name)
    member.create_system = 3
    member.external_attr = (kind | 0o777) << 16
    return member


def patched(data: bytes, field: int, value: int) -> bytes:
    """Return a zip of one member with another 16-bit value in a field of its central directory."""
    start = data.index(b"PK\x01\x02") + field
    return data[:start] + struct.pack("<H", value) + data[start + 2 :]


def claiming(data: bytes, size_bytes: int) -> bytes:
    """Return a zip of one member that claims to be of another size."""
    start = data.index(b"PK\x01\x02") + 24
    return data[:start] + struct.pack("<I", size_bytes) + data[start + 4 :]


def test_unpack_strictly_returns_the_text_files() -> None:
    texts = {"script.py": "assembly = 1\n", "journal.md": "# Journal\n\nÜber alles\n", "shapes/leg.py": "LEG = 2\n"}
    assert unpack_strictly(packed(*texts.items())) == texts
    assert unpack_strictly(packed(("shapes/", b""), ("shapes/leg.py", b"LEG = 2\n"))) == {"shapes/leg.py": "LEG = 2\n"}


NAMES = {
    "/etc/passwd": "plain path",
    "../script.py": "hidden",
    "shapes/../../script.py": "hidden",
    "a//b.py": "plain path",
    "./script.py": "plain path",
    ".bashrc": "hidden",
    "shapes/.git/config": "hidden",
    "__pycache__/script.cpython-311.pyc": "hidden",
    "a\\..\\script.py": "hidden",
    "new\nline.py": "hidden",
    "\x1b[2J.py": "hidden",
    "\u202egnp.py": "hidden",
    "utils/__init__.py": "read-only",
    "skills/build123d/SKILL.md": "read-only",
    "plan.md": "read-only",
    "environment.step": "read-only",
    "/".join("d" * 17) + "/x.py": "too deep",
    "x" * 201: "plain path",
}


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_zip_with_an_unsafe_or_read_only_path_is_unfit(name: str) -> None:
    with pytest.raises(InvalidWorkspaceError, match=NAMES[name]):
        unpack_strictly(packed(("script.py", "ok = 1\n"), (name, "bad = 1\n")))


UNFIT: dict[str, Callable[[], bytes]] = {
    "not a zip": lambda: b"PK but no zip",
    "cut off": lambda: packed(("script.py", "x = 1\n" * 99))[:-30],
    "link": lambda: packed((link("script.py", stat.S_IFLNK), "/etc/shadow")),
    "device": lambda: packed((link("script.py", stat.S_IFCHR), "")),
    "too many files": lambda: packed(*((f"m{number}.py", "x") for number in range(MAX_FILES + 1))),
    "large file": lambda: packed(("script.py", b"x" * (MAX_FILE_BYTES + 1))),
    "large together": lambda: packed(*((f"m{n}.py", b"x" * MAX_FILE_BYTES) for n in range(MAX_FILES))),
    "large zip": lambda: packed(("script.py", b"x" * (MAX_TOTAL_BYTES + 1)), method=zipfile.ZIP_STORED),
    "false size": lambda: claiming(packed(("script.py", b"x" * (4 << 20))), 100),
    "encrypted": lambda: patched(packed(("script.py", "x = 1\n")), 8, 1),
    "unusual compression": lambda: packed(("script.py", "x = 1\n"), method=zipfile.ZIP_LZMA),
    "unknown method": lambda: patched(packed(("script.py", "x = 1\n")), 10, 77),
    "not text": lambda: packed(("shape.npz", b"\x93NUMPY\xff")),
    "NUL": lambda: packed(("script.py", b"x = 1\x00")),
    "file as a folder": lambda: packed(("a", "1"), ("a/b.py", "2")),
}


@pytest.mark.parametrize("what", UNFIT)
def test_zip_with_anything_but_small_text_files_is_unfit(what: str) -> None:
    with pytest.raises(InvalidWorkspaceError) as refused:
        unpack_strictly(UNFIT[what]())
    assert str(refused.value)


def test_zip_with_a_repeated_path_is_unfit() -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        data = packed(("script.py", "x = 1\n"), ("script.py", "x = 2\n"))
    with pytest.raises(InvalidWorkspaceError, match="twice"):
        unpack_strictly(data)
