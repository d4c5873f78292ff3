"""Workspaces packed as zip files for a submission."""

import io
import zipfile

from documents.workspaces.archive import MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES, InvalidWorkspaceError

from kernel_host.sessions.workspace import Workspace

_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""Equal files make equal zips."""


def pack(workspace: Workspace) -> bytes:
    """Return the texts that the agent wrote as a zip, without what its cells exported.

    Raises `InvalidWorkspaceError`.
    """
    own = _texts(workspace)
    if "script.py" not in own:
        raise InvalidWorkspaceError("script.py is missing; write it with the write_file tool")
    if len(own) > MAX_FILES:
        raise InvalidWorkspaceError(f"{len(own)} files are too many; at most {MAX_FILES} can be submitted")
    buffer = io.BytesIO()
    total = 0
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in own.items():
            total += len(data)
            if total > MAX_TOTAL_BYTES:
                raise InvalidWorkspaceError(f"the files are larger than {MAX_TOTAL_BYTES >> 20} MB together at {path}")
            archive.writestr(zipfile.ZipInfo(path, _ZIP_TIME), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _texts(workspace: Workspace) -> dict[str, bytes]:
    """Return the own files that the agent could have written with its tools: text, and not too large."""
    found: dict[str, bytes] = {}
    for path in workspace.own_files():
        try:
            data = workspace.read_bytes(path, MAX_FILE_BYTES + 1)
        except OSError as error:  # the kernel may be alive, and have locked the file
            raise InvalidWorkspaceError(f"{path} cannot be read ({error.strerror}); write it again") from error
        if len(data) <= MAX_FILE_BYTES and _is_text(data):
            found[path] = data
    return found


def _is_text(data: bytes) -> bool:
    try:
        return "\x00" not in data.decode()
    except UnicodeDecodeError:
        return False
