"""Postgres without the wheel's own Python: TCP on the loopback, SCRAM passwords, an unprivileged account."""

import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from local_stack.errors import UserError
from local_stack.processes.child_process import ProcessSpec
from local_stack.servers.ports import LOOPBACK
from local_stack.servers.postgres_home import PostgresHome

PROBE_S = 5.0
LEFT_S, LOOK_S = 30.0, 0.05
MEMORY_LINE = 6
"""Of postmaster.pid: key and id."""
SHARED_MEMORY = Path("/proc/sysvipc/shm")
"""A row for each block: key, id, …"""
ATTACHED = 6
"""The column that counts the processes."""
DATABASE = "millwright"
ROLE = "millwright"


@dataclass(frozen=True)
class Postgres:
    """One cluster on one port."""

    home: PostgresHome
    port: int
    password: str
    log: Path
    name: str = "postgres"

    @property
    def url(self) -> str:
        """The value for `DATABASE_URL`."""
        return f"postgresql://{ROLE}:{self.password}@{LOOPBACK}:{self.port}/{DATABASE}"

    def exists(self) -> bool:
        """Return whether the cluster was created."""
        return self._data.is_dir()

    def prepare(self) -> None:
        """Create the cluster and its database unless they exist; a half-made cluster is discarded.

        Processes of a server that was killed outlive it on a busy machine, and no other starts before they have left.
        """
        if self.exists():
            deadline = time.monotonic() + LEFT_S
            while self._has_processes() and time.monotonic() < deadline:
                time.sleep(LOOK_S)
            return
        self.home.create_folder()
        new = self.home.folder / "data.new"
        if new.exists():
            shutil.rmtree(new)
        password = self.home.folder / "password"
        self.home.write_private(password, self.password)
        self._run(
            "initdb", f"--pgdata={new}", f"--username={ROLE}", f"--pwfile={password}", "--auth=scram-sha-256",
            "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions",
        )  # fmt: skip
        self._run("postgres", "--single", "-D", str(new), "postgres", stdin=f"CREATE DATABASE {DATABASE}\n")
        password.unlink()
        new.rename(self._data)

    def set_password(self) -> None:
        """Give the owner of a cluster that does not run this password."""
        statement = f"ALTER ROLE {ROLE} PASSWORD '{self.password}'\n"
        self._run("postgres", "--single", "-D", str(self._data), "postgres", stdin=statement)

    def program(self) -> ProcessSpec:
        """Return the process to start."""
        command = (
            str(self.home.installation / "bin/postgres"), "-D", str(self._data), "-h", LOOPBACK, "-p", str(self.port),
            "-c", "unix_socket_directories=", "-c", "shared_buffers=64MB", "-c", "max_connections=200",
        )  # fmt: skip
        return ProcessSpec(
            self.name,
            command,
            self.home.folder,
            self.log,
            environment={"LC_ALL": "C.UTF-8"},
            account=self.home.account,
            stop_signal=signal.SIGINT,  # end sessions and write a checkpoint
            death_signal=signal.SIGQUIT,  # take the back ends along; KILL would leave them
        )

    def ready(self) -> bool:
        """Log in and run a query."""
        query = ("-X", "-A", "-t", "-h", LOOPBACK, "-p", str(self.port), "-U", ROLE, "-d", DATABASE, "-c", "select 1")
        try:
            result = subprocess.run(
                [str(self.home.installation / "bin/psql"), *query],
                env={"PGPASSWORD": self.password, "PGCONNECT_TIMEOUT": "2"},
                capture_output=True,
                timeout=PROBE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        return result.stdout.strip() == b"1"

    def _has_processes(self) -> bool:
        """Return whether processes use the shared memory that the last server has noted."""
        try:
            noted = (self._data / "postmaster.pid").read_text().splitlines()[MEMORY_LINE].split()
        except (FileNotFoundError, IndexError):
            return False  # it ended in order
        rows = (row.split() for row in SHARED_MEMORY.read_text().splitlines()[1:])
        return any(row[:2] == noted and row[ATTACHED] != "0" for row in rows)

    @property
    def _data(self) -> Path:
        return self.home.folder / "data"

    def _run(self, program: str, *arguments: str, stdin: str = "") -> None:
        """Run one of Postgres' own programs to its end, as the account."""
        account = self.home.account
        result = subprocess.run(
            [str(self.home.installation / "bin" / program), *arguments],
            cwd=self.home.folder,
            env={"LC_ALL": "C.UTF-8", "PATH": os.defpath},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )
        if result.returncode != 0:
            lines = (result.stderr or result.stdout).strip().splitlines() or [f"exit code {result.returncode}"]
            raise UserError(f"Postgres' {program} failed in {self.home.folder}: {lines[-1]}")
