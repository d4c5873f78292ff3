"""Which file system a folder is on."""

from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")


def file_system_of(folder: Path) -> str | None:
    """Return the kind of file system, such as `ext4` or `overlay`, that has a folder or would have it; None if unknown.

    The kernel's list of mounts (proc_pid_mountinfo(5)): field 5 is where, and the field after `-` the kind.
    """
    if not MOUNTS.is_file():
        return None
    kinds: dict[str, str] = {}
    for line in MOUNTS.read_text("utf-8").splitlines():
        before, _, after = line.partition(" - ")
        kinds[before.split()[4].encode().decode("unicode_escape")] = after.split()[0]
    resolved = folder.resolve()
    return next((kinds[str(each)] for each in (resolved, *resolved.parents) if str(each) in kinds), None)
