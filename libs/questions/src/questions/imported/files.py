"""Files that records name."""

from os.path import normpath
from pathlib import Path

from questions.imported.fields import RecordUnusableError

VIDEO_SUFFIXES = frozenset({".mp4", ".mkv", ".webm", ".mov", ".avi", ".m4v"})


def file_inside(given: str, folder: Path) -> Path:
    """Return a file inside the folder of the set; raise `RecordUnusableError` for any other."""
    path = folder / given
    if not path.resolve().is_relative_to(folder.resolve()):
        if not Path(normpath(path)).is_relative_to(normpath(folder)):
            raise RecordUnusableError(f"{given} is outside the folder of the question set")
        raise RecordUnusableError(
            f"{given} is a link to a file outside the folder of the question set, as in a cache of Hugging Face; "
            "get a copy with `hf download --local-dir`"
        )
    if not path.is_file():
        raise RecordUnusableError(f"{given} does not exist in the folder of the question set")
    return path
