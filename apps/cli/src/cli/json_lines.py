"""Files of JSON: one document a line, to which a long command appends each result so that it resumes, or one in all."""

from pathlib import Path
from typing import TypeVar

from contracts.model import Model
from local_stack.errors import UserError
from pydantic import ValidationError

M = TypeVar("M", bound=Model)


def read_lines(path: Path, kind: type[M], option: str) -> list[M]:
    """Return the documents of a file, none if it does not exist yet; remove a line that an interruption cut off.

    Raises `UserError`, which names the command's option of the file.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = path.read_bytes() if path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        read: list[M] = []
        for number, line in enumerate(whole.splitlines(), start=1):
            read.append(_document(line, kind, f"{path} is in use for something else: line {number}", option))
        if whole != content:
            path.write_bytes(whole)
    except OSError as error:
        raise UserError(f"{path} cannot be used: {error.strerror}; choose another with {option}") from error
    return read


def append_line(path: Path, document: Model) -> None:
    """Append a document."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(document.model_dump_json() + "\n")
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}; free space, and run the command again") from error


def _document(line: bytes, kind: type[M], where: str, option: str) -> M:
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        fault = error.errors()[0]["msg"]
        raise UserError(f"{where} is not a {kind.__name__} ({fault}); choose another with {option}") from error


def write_json_file(results: Model, file: Path) -> None:
    """Write results as indented JSON; raise `UserError` if the file of `--json` cannot be written."""
    try:
        file.write_text(results.model_dump_json(indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror}; choose another with --json") from error
