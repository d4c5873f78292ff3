"""Reading what a kernel may have left under a path, with more rights than the kernel has."""

import os
import stat
from errno import EISDIR
from pathlib import Path, PurePosixPath

_FOLDER = os.O_DIRECTORY | os.O_RDONLY | os.O_NOFOLLOW


def first_bytes(root: Path, path: str, most: int) -> bytes:
    """Return at most so many bytes of a regular file beneath `root`, reached through no link; raise `OSError`."""
    *folders, name = PurePosixPath(path).parts
    here = os.open(root, _FOLDER)
    try:
        for folder in folders:
            below = os.open(folder, _FOLDER, dir_fd=here)
            os.close(here)
            here = below
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(EISDIR, "it is no regular file", path)
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return file.read(most)
        finally:
            os.close(descriptor)
    finally:
        os.close(here)
