"""Folders of untrusted children: what is erased and what stays."""

from pathlib import Path

from sandbox.disk import erase_except


def test_erasing_a_folder_keeps_the_named_paths(tmp_path: Path) -> None:
    for path in ("kept.txt", "gone.txt", "kept/whole.txt", "part/kept.txt", "part/gone.txt", "gone/kept.txt"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(path)
    erase_except(tmp_path, {"kept.txt", "kept", "part/kept.txt"})
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"kept.txt", "kept/whole.txt", "part/kept.txt"}
