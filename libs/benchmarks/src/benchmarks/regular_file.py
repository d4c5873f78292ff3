"""The reader of all files that make up a benchmark, which may come from strangers."""

import errno
import os
import stat
from pathlib import Path

MAX_FILES = 20
MAX_FILE_BYTES = 1_000_000
MAX_TOTAL_BYTES = 4_000_000
"""Of all files of a benchmark together, and of an archive of them."""


def read_regular_file(path: Path, limit_bytes: int = MAX_FILE_BYTES, *, follows_links: bool = False) -> bytes:
    """Return the content of a regular file; raise `OSError` for anything else, and for more than `limit_bytes`.

    A link in a folder could name any file of this machine, a FIFO would block, and a device may have no end. Only for a
    file that the user has named `follows_links`.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follows_links else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise _refusal(path, "it is a link; copy the file itself there") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _refusal(path, "it is not a regular file; copy the file itself there")
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(limit_bytes + 1)
    if len(content) > limit_bytes:
        raise _refusal(path, f"it has more than {limit_bytes} bytes; shorten it")
    return content


def _refusal(path: Path, problem: str) -> OSError:
    return OSError(errno.EINVAL, problem, str(path))
