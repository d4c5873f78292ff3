"""Two cad-workers and the session that one of them serves, for takeovers."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from benchmarks.loader import load
from contracts.models.benchmark import Assignment
from local_stack.processes.supervisor import Supervisor

from tests.chaos.crashes.crash_runs import instrumented
from tests.support.clusters.cluster import FAST_REDELIVERY, Client, Cluster, ModuleProcess
from tests.support.clusters.session_client import SessionClient
from tests.support.processes import descendants, wait_for

SETTINGS = FAST_REDELIVERY | {"BUS_ACK_WAIT_S": "3", "BUS_DRAIN_S": "2"}

CELLS = (
    "import random\nimport numpy as np\nfrom build123d import *\nfrom utils import ManufacturingMethod, simulate\n"
    "from utils import validate_and_price",
    "luck = [random.random() for _ in range(5)]\nnoise = np.random.rand(50)",
    "from sizes import WIDTH\nplate = Pos(0, 0, 5) * Box(WIDTH, 40, 10)\nplate.label = 'plate'",
    "plate.metadata = {'manufacturing_method': ManufacturingMethod.PRINTING_3D, 'material_id': 'pla'}",
    "price = validate_and_price(plate)",
    "drilled = plate - Pos(0, 0, 5) * Cylinder(6, 30)\nrounded = fillet(drilled.edges().filter_by(Axis.Z), 2)",
    "half = luck[0] / 2\nraise ValueError('as agents do')",
    "assembly = Compound(label='machine', children=[plate])\nsummary = simulate(assembly).summary_md",
    "def twice(value):\n    return 2 * value\n\n\nvolumes = {each: twice(each) * rounded.volume for each in range(5)}",
    "luck.append(random.random())\nnoise *= 2",
)
"""Ten cells of every kind: random numbers, CAD, an error, a quote, a simulation, a function, changes in place."""
PRINT_STATE = (
    "print(luck, half, price, sorted(volumes.items()), noise.tobytes().hex()[:64], len(summary), drilled.volume)"
)
"""A cell that prints the state that all of them have left."""


@dataclass(frozen=True)
class Worker:
    """A cad-worker as a process."""

    name: str
    folder: Path
    supervisor: Supervisor

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.supervisor.pids()[self.name]

    @property
    def printed(self) -> str:
        """Its log."""
        return (self.folder / "log").read_text(errors="replace")

    @property
    def quotes(self) -> int:
        """The number of quotes by its workbenches."""
        file = self.folder / "quotes"
        return len(file.read_text()) if file.exists() else 0

    @property
    def workspaces(self) -> list[Path]:
        """The workspaces of its open sessions."""
        return sorted(path.parent for path in (self.folder / "kernels").glob("*/*/todo.md"))

    def files(self) -> dict[str, str]:
        """Return the digest of each file in the workspace of its only session."""
        (workspace,) = self.workspaces
        paths = [path for path in workspace.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        return {str(path.relative_to(workspace)): sha256(path.read_bytes()).hexdigest() for path in paths}

    def kill(self) -> None:
        """Kill it, as a power cut would."""
        os.kill(self.pid, signal.SIGKILL)
        wait_for(lambda: self.name not in self.supervisor.pids(), 5, f"the end of {self.name}")

    def freeze(self) -> None:
        """Stop it, as if it were cut off from everything; its kernels go on."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it continue."""
        os.kill(self.pid, signal.SIGCONT)

    def descendants(self) -> int:
        """Return the number of its descendants."""
        return len(descendants(self.pid))


@dataclass(frozen=True)
class WorkerPair:
    """Two cad-workers, and a client of theirs."""

    workers: tuple[Worker, Worker]
    client: Client

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[SessionClient]:
        """Open a session on one of them, in a run of its own, once all earlier ones are closed."""
        while any(worker.workspaces for worker in self.workers):  # noqa: ASYNC110 - folders
            await asyncio.sleep(0.05)
        session = SessionClient(self.client)
        loaded = load("gravity-chute", 1)
        await session.open(Assignment(variant=loaded.variant, limits=loaded.limits), loaded.environment_code)
        try:
            yield session
        finally:
            await session.end()


@asynccontextmanager
async def two_workers(cluster: Cluster, folder: Path) -> AsyncGenerator[WorkerPair]:
    """Run two cad-workers and a sim-worker."""
    names = ("cad-worker-1", "cad-worker-2", "sim-worker")
    processes = [_process(name, folder / name, cluster) for name in names]
    first, second = (Worker(name, folder / name, cluster.supervisor) for name in names[:2])
    async with cluster.run(processes), Client(cluster.endpoints) as client:
        yield WorkerPair((first, second), client)


def _process(name: str, folder: Path, cluster: Cluster) -> ModuleProcess:
    folder.mkdir(parents=True)
    environment = cluster.environment(SETTINGS | {"KERNEL_WORKSPACES": str(folder / "kernels")})
    process = instrumented(name.rstrip("-12"), environment, folder / "log", "--count-quotes", str(folder / "quotes"))
    process.name = name
    return process


def owner_and_other(workers: Sequence[Worker]) -> tuple[Worker, Worker]:
    """Return the worker with the open session, and the one without."""
    (owner,) = [worker for worker in workers if worker.workspaces]
    (other,) = [worker for worker in workers if worker is not owner]
    return owner, other
