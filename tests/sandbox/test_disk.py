"""Folders of untrusted children: what is erased and what stays, what they hold; disk and memory that are left."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from sandbox.disk import Size, erase_except, free_disk_mib, measure
from sandbox.memory import available_mib


def test_erasing_a_folder_keeps_the_named_paths(tmp_path: Path) -> None:
    for path in ("kept.txt", "gone.txt", "kept/whole.txt", "part/kept.txt", "part/gone.txt", "gone/kept.txt"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(path)
    erase_except(tmp_path, {"kept.txt", "kept", "part/kept.txt"})
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"kept.txt", "kept/whole.txt", "part/kept.txt"}


def test_contents_are_counted_with_their_bytes_on_disk(tmp_path: Path) -> None:
    (tmp_path / "folder" / "deeper").mkdir(parents=True)
    for path in ("a.bin", "folder/b.bin", "folder/deeper/c.bin"):
        (tmp_path / path).write_bytes(b"x" * 8192)
    (tmp_path / "link").symlink_to("/proc")
    found = measure(tmp_path, 100)
    assert (found.entries, found.is_hidden) == (6, False)
    assert found.bytes == sum(path.lstat().st_blocks * 512 for path in tmp_path.rglob("*"))
    assert found.bytes >= 3 * 8192


@pytest.mark.parametrize(("most", "entries"), [(4, 4), (3, 4), (1, 2)])
def test_counting_stops_beyond_the_most_entries(tmp_path: Path, most: int, entries: int) -> None:
    for name in "abcd":
        (tmp_path / name).touch()
    assert measure(tmp_path, most).entries == entries


@pytest.mark.parametrize(("chars", "is_listed"), [(3000, True), (3001, False)])
def test_folder_with_a_path_beyond_3000_characters_counts_as_too_many(
    tmp_path: Path, chars: int, is_listed: bool
) -> None:
    here = str(tmp_path)
    while len(here) < chars:
        left = chars - len(here) - 1
        here += "/" + "n" * (left if left <= 200 else min(200, left - 2))
    Path(here).mkdir(parents=True)
    (Path(here) / "x").touch()
    levels = here.count("/") - str(tmp_path).count("/")
    assert measure(tmp_path, 500).entries == (levels + 1 if is_listed else 501)


def test_vanished_folder_is_empty(tmp_path: Path) -> None:
    assert measure(tmp_path / "gone", 10) == Size(0, 0)


def test_free_disk_is_what_unprivileged_programs_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = SimpleNamespace(f_bavail=5120, f_bfree=9999, f_blocks=99999, f_frsize=4096, f_bsize=1)

    def statvfs(_: object) -> SimpleNamespace:
        return system

    monkeypatch.setattr(os, "statvfs", statvfs)
    assert free_disk_mib(tmp_path) == 20.0


MACHINE = "MemTotal:       9000000 kB\nMemFree:  1 kB\nMemAvailable:    2097152 kB\nHugePages\n"


@pytest.mark.parametrize(
    ("files", "expected_mib"),
    [
        ({}, 2048.0),
        ({"memory.max": "max\n", "memory.current": "5\n"}, 2048.0),
        ({"memory.max": f"{900 << 20}\n", "memory.current": f"{500 << 20}\n", "memory.stat": "anon 7\n"}, 400.0),
        (
            {
                "memory.max": f"{900 << 20}\n",
                "memory.current": f"{500 << 20}\n",
                "memory.stat": f"anon 7\ninactive_file {100 << 20}\n",
            },
            500.0,
        ),
        ({"memory.max": f"{900 << 20}\n", "memory.current": f"{950 << 20}\n", "memory.stat": ""}, 0.0),
        (
            {
                "memory/memory.limit_in_bytes": f"{300 << 20}\n",
                "memory/memory.usage_in_bytes": f"{100 << 20}\n",
                "memory/memory.stat": f"inactive_file {1 << 20}\n",
            },
            201.0,
        ),
        ({"memory.max": f"{9 << 30}\n", "memory.current": "0\n", "memory.stat": ""}, 2048.0),
    ],
)
def test_available_memory_is_the_least_of_machine_and_container(
    tmp_path: Path, files: dict[str, str], expected_mib: float
) -> None:
    machine, cgroups = tmp_path / "meminfo", tmp_path / "cgroup"
    machine.write_text(MACHINE)
    for name, text in files.items():
        (cgroups / name).parent.mkdir(parents=True, exist_ok=True)
        (cgroups / name).write_text(text)
    assert available_mib(machine, cgroups) == expected_mib
