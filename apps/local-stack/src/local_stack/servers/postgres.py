"""Postgres, driven without the wheel's own Python: TCP on the loopback, scram passwords, an unprivileged user."""

import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from local_stack.errors import UserError
from local_stack.processes.program import ProcessSpec
from local_stack.servers.ports import LOOPBACK
from local_stack.servers.postgres_home import PostgresHome

PROBE_S = 5.0
DATABASE = "millwright"
ROLE = "millwright"


@dataclass(frozen=True)
class Postgres:
    """One cluster on one port; `postgres_place.place_for` knows what root has to do differently."""

    home: PostgresHome
    port: int
    password: str
    log: Path
    name: str = "postgres"

    @property
    def url(self) -> str:
        """What `DATABASE_URL` should say."""
        return f"postgresql://{ROLE}:{self.password}@{LOOPBACK}:{self.port}/{DATABASE}"

    def prepare(self) -> None:
        """Make the cluster and its database once; half a cluster is thrown away."""
        if self._data.is_dir():
            return
        self.home.create_folder()
        fresh = self.home.folder / "data.new"
        self.home.remove(fresh)
        secret = self.home.folder / "password"
        self.home.write_private(secret, self.password)
        self._as_user(
            "initdb", f"--pgdata={fresh}", f"--username={ROLE}", f"--pwfile={secret}", "--auth=scram-sha-256",
            "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions",
        )  # fmt: skip
        self._as_user("postgres", "--single", "-D", str(fresh), "postgres", typed=f"CREATE DATABASE {DATABASE}\n")
        secret.unlink()
        fresh.rename(self._data)

    def program(self) -> ProcessSpec:
        """Return what to start."""
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
            user=self.home.user,
            stop_signal=signal.SIGINT,  # end sessions and write a checkpoint
            death_signal=signal.SIGQUIT,  # take the back ends along; KILL would leave them
        )

    def ready(self) -> bool:
        """Log in and select."""
        query = ("-X", "-A", "-t", "-h", LOOPBACK, "-p", str(self.port), "-U", ROLE, "-d", DATABASE, "-c", "select 1")
        try:
            asked = subprocess.run(
                [str(self.home.installation / "bin/psql"), *query],
                env={"PGPASSWORD": self.password, "PGCONNECT_TIMEOUT": "2"},
                capture_output=True,
                timeout=PROBE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        return asked.stdout.strip() == b"1"

    @property
    def _data(self) -> Path:
        return self.home.folder / "data"

    def _as_user(self, program: str, *arguments: str, typed: str = "") -> None:
        """Run one of Postgres' own programs to its end."""
        user = self.home.user
        ran = subprocess.run(
            [str(self.home.installation / "bin" / program), *arguments],
            cwd=self.home.folder,
            env={"LC_ALL": "C.UTF-8", "PATH": os.defpath},
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            user=user.uid if user else None,
            group=user.gid if user else None,
            extra_groups=[] if user else None,
        )
        if ran.returncode != 0:
            lines = (ran.stderr or ran.stdout).strip().splitlines() or [f"exit code {ran.returncode}"]
            raise UserError(f"Postgres' {program} failed in {self.home.folder}: {lines[-1]}")
