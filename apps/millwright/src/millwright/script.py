"""The files of a design: the text of a script, a file, or a folder whose script.py imports its other modules."""

from collections.abc import Mapping
from pathlib import Path

SCRIPT = "script.py"
MAX_BYTES = 1 << 20
"""Of all files together."""
MAX_FILES = 200


class ScriptError(ValueError):
    """The files of a design cannot be used; the message names the file and the fix."""


def script_files(script: str | Path) -> Mapping[str, str]:
    """Return the texts of a design's Python files by their paths; raise `ScriptError`.

    A `str` is the script itself, a `Path` a file or a folder with `script.py`.
    """
    if isinstance(script, str):
        if "\n" not in script and script.endswith(".py"):
            raise ScriptError(f"{script!r} is taken for the script itself; pass Path({script!r}) to have the file read")
        return _checked({SCRIPT: script}, "the script")
    if script.is_dir():
        return _folder(script)
    return _checked({SCRIPT: _text(script)}, str(script))


def _folder(folder: Path) -> Mapping[str, str]:
    paths = sorted(path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)
    if folder / SCRIPT not in paths:
        raise ScriptError(f"{folder} has no {SCRIPT}; name the file that defines `assembly`")
    if len(paths) > MAX_FILES:
        raise ScriptError(f"{folder} has {len(paths)} Python files, at most {MAX_FILES} are read; name one file")
    return _checked({str(path.relative_to(folder)): _text(path) for path in paths}, str(folder))


def _text(path: Path) -> str:
    if not path.is_file():
        raise ScriptError(f"{path} is not a file" if path.exists() else f"{path} does not exist")
    if path.stat().st_size > MAX_BYTES:
        raise ScriptError(f"{path} has {path.stat().st_size} bytes, at most {MAX_BYTES} are read")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ScriptError(f"{path} is not UTF-8 text: byte {error.start}") from error
    except OSError as error:
        raise ScriptError(f"{path} cannot be read: {error.strerror}") from error


def _checked(files: Mapping[str, str], where: str) -> Mapping[str, str]:
    size = sum(len(text.encode()) for text in files.values())
    if size > MAX_BYTES:
        raise ScriptError(f"{where} has {size} bytes, at most {MAX_BYTES} are read")
    if not any(text.strip() for text in files.values()):
        raise ScriptError(f"{where} is empty; a script defines `assembly`, a Compound of labelled parts")
    return files
