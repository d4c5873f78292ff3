"""A skill's folder: SKILL.md, and further files in references/, scripts/ and assets/, checked before any use."""

import hashlib
import io
import zipfile
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from documents.skill_folders.content_rules import commands_in, inert_parts
from documents.skill_folders.frontmatter import SkillFormatError, split_skill
from documents.workspaces.archive import InvalidWorkspaceError, unpack_strictly

SKILL_FILE = "SKILL.md"
FOLDERS = ("references", "scripts", "assets")
MAX_SKILL_BYTES = 16_000
"""Of SKILL.md: it is read as a whole."""
MAX_FILES = 40
MAX_FOLDER_BYTES = 512 * 1024
_EPOCH = (1980, 1, 1, 0, 0, 0)


class SkillFolder(NamedTuple):
    """A folder that fits the format."""

    name: str
    description: str
    skill_md: str
    """The whole SKILL.md."""
    files: Mapping[str, str]
    """The other files, by path in the folder."""
    warnings: tuple[str, ...]
    """What is in it and has no effect, each with the reason."""


def read_folder(files: Mapping[str, str]) -> SkillFolder:
    """Return the skill of these files, by path; raise `SkillFormatError` for what no session may get."""
    text = files.get(SKILL_FILE)
    if text is None:
        raise SkillFormatError(f"{SKILL_FILE} is missing; it must be at the top of the folder, in this spelling.")
    _require_limits(files)
    matter, body = split_skill(text)
    if not body.strip():
        raise SkillFormatError(f"{SKILL_FILE} has no instructions below its frontmatter.")
    if found := [each for path, content in files.items() for each in commands_in(path, content)]:
        raise SkillFormatError(f"A skill informs, and commands nothing outside its topic: {'; '.join(found[:3])}.")
    warnings = [each for path, content in sorted(files.items()) for each in inert_parts(path, content)]
    if matter.allowed_tools:
        warnings.append("allowed-tools has no effect: a role's tools are its own")
    others = {path: content for path, content in files.items() if path != SKILL_FILE}
    return SkillFolder(matter.name, matter.description, text, others, tuple(warnings))


def unpack_folder(data: bytes) -> SkillFolder:
    """Return the skill of a zip that anybody may have made; raise `SkillFormatError`."""
    return read_folder(_unpacked(data))


def unpack_files(data: bytes) -> dict[str, str]:
    """Return the files besides SKILL.md that `pack_files` has packed; raise `SkillFormatError` for anything else."""
    files = _unpacked(data)
    _require_limits(files)
    return files


def folder_digest(folder: SkillFolder) -> str:
    """Return the sha256 of SKILL.md, or of the whole folder if it has other files."""
    content = pack_files({**folder.files, SKILL_FILE: folder.skill_md}) if folder.files else folder.skill_md.encode()
    return hashlib.sha256(content).hexdigest()


def _unpacked(data: bytes) -> dict[str, str]:
    try:
        return unpack_strictly(data)
    except InvalidWorkspaceError as error:
        raise SkillFormatError(f"The folder cannot be used: {error}") from error


def pack_files(files: Mapping[str, str]) -> bytes:
    """Return a zip of these files: the same bytes for the same files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(path, _EPOCH), text)
    return packed.getvalue()


def _require_limits(files: Mapping[str, str]) -> None:
    if len(files) > MAX_FILES:
        raise SkillFormatError(f"The folder has {len(files)} files; at most {MAX_FILES} are allowed.")
    size_bytes = sum(len(text.encode()) for text in files.values())
    if size_bytes > MAX_FOLDER_BYTES:
        raise SkillFormatError(f"The folder has {size_bytes} bytes; at most {MAX_FOLDER_BYTES} are allowed.")
    skill_bytes = len(files.get(SKILL_FILE, "").encode())
    if skill_bytes > MAX_SKILL_BYTES:
        fix = "keep what helps, and move details to references/"
        raise SkillFormatError(f"{SKILL_FILE} is longer than {MAX_SKILL_BYTES} bytes ({skill_bytes}); {fix}.")
    for path in files:
        if path != SKILL_FILE and PurePosixPath(path).parts[0] not in FOLDERS:
            raise SkillFormatError(f"{path!r} belongs into one of {', '.join(f'{each}/' for each in FOLDERS)}.")
