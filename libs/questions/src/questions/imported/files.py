"""Files that records name."""

from pathlib import Path

from questions.imported.fields import RecordUnusableError

VIDEO_SUFFIXES = frozenset({".mp4", ".mkv", ".webm", ".mov", ".avi", ".m4v"})


def file_inside(given: str, folder: Path) -> Path:
    """Return a file inside the folder of the set; raise `RecordUnusableError` for any other."""
    path = (folder / given).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise RecordUnusableError(f"{given} is outside the folder of the question set")
    if not path.is_file():
        raise RecordUnusableError(f"{given} does not exist in the folder of the question set")
    return path
