"""Two cad-workers as processes of their own, and somebody who talks to them as an engineer would."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from uuid import UUID, uuid4

from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from benchmarks.loader import CODE_TYPE, load
from chassis.app import App
from chassis.settings import BusSettings
from contracts.envelope import Event
from contracts.events.run import CancelRequested, EnvironmentBuilt, EnvironmentRequested, RunFailed
from contracts.events.session import CellCompleted, CellRequested, FileWriteRequested, SessionOpened, SessionRequested
from contracts.models.benchmark import Assignment
from local_stack.servers.server_stack import ServerStack

from perf.mortality.processes import family

READY_S = 60.0
HASTE = {"BUS_ACK_WAIT_S": "3", "BUS_RETRY_DELAY_S": "0.2", "BUS_DRAIN_S": "2"}

CELLS = (
    "import random\nimport numpy as np\nfrom build123d import *\nfrom utils import ManufacturingMethod, simulate\n"
    "from utils import validate_and_price",
    "luck = [random.random() for _ in range(5)]\nnoise = np.random.rand(50)",
    "from sizes import WIDTH\nplate = Pos(0, 0, 5) * Box(WIDTH, 40, 10)\nplate.label = 'plate'",
    "plate.metadata = {'manufacturing_method': ManufacturingMethod.PRINTING_3D, 'material_id': 'pla'}",
    "price = validate_and_price(plate)",
    "drilled = plate - Pos(0, 0, 5) * Cylinder(6, 30)\nrounded = fillet(drilled.edges().filter_by(Axis.Z), 2)",
    "half = luck[0] / 2\nraise ValueError('as agents do')",
    "assembly = Compound(label='machine', children=[plate])\ntold = simulate(assembly).summary_md",
    "def twice(value):\n    return 2 * value\n\n\nvolumes = {each: twice(each) * rounded.volume for each in range(5)}",
    "luck.append(random.random())\nnoise *= 2",
)
"""Ten cells of every kind: random numbers, CAD, an error, a quote, a simulation, a function, changes in place."""
SAYS_ALL = "print(luck, half, price, sorted(volumes.items()), noise.tobytes().hex()[:64], len(told), drilled.volume)"
"""A cell that tells what all of them left behind."""


@dataclass
class Worker:
    """A process that serves, and where its kernels and its words lie."""

    name: str
    process: subprocess.Popen[bytes]
    folder: Path

    @property
    def printed(self) -> str:
        """What it has said so far."""
        return (self.folder / "log").read_text(errors="replace")

    @property
    def quotes(self) -> int:
        """How often its workbenches were asked."""
        book = self.folder / "quotes"
        return len(book.read_text()) if book.exists() else 0

    @property
    def kernels(self) -> list[Path]:
        """The workspaces of its open sessions."""
        return sorted(path.parent for path in (self.folder / "kernels").glob("*/*/todo.md"))

    def files(self) -> dict[str, str]:
        """Return the digest of each file in its one session's workspace."""
        (workspace,) = self.kernels
        paths = [path for path in workspace.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        return {str(path.relative_to(workspace)): sha256(path.read_bytes()).hexdigest() for path in paths}

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()

    def halt(self) -> None:
        """Let it stand still, as if cut off from everything; its kernels go on."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on as if nothing had happened."""
        self.process.send_signal(signal.SIGCONT)

    def descendants(self) -> int:
        """Return how many processes live below it."""
        return len(family(self.process.pid))


@dataclass
class Engineer:
    """Asks as an engineer would."""

    app: App
    artifacts: Artifacts
    run_id: UUID = field(default_factory=uuid4)

    async def opens(self) -> SessionRequested:
        """Have the world built and a session opened."""
        loaded = load("gravity-chute", 1)
        code = await self.artifacts.put(loaded.environment_code, CODE_TYPE)
        variant = loaded.variant.model_copy(update={"environment_code": code})
        assignment = Assignment(variant=variant, limits=loaded.file.limits)
        built = await self.app.bus.ask(
            EnvironmentRequested(
                id=uuid4(), run_id=self.run_id, role="planner", producer="planner", assignment=assignment
            )
        )
        assert isinstance(built, EnvironmentBuilt)
        asked = SessionRequested(
            id=uuid4(),
            run_id=self.run_id,
            role="engineer",
            producer="engineer",
            assignment=assignment,
            environment=built.environment,
            plan_md="# Plan\n",
            todo_md="# TODO\n\n- [ ] T1: build\n",
        )
        opened = await self.app.bus.ask(asked)
        assert isinstance(opened, SessionOpened)
        return asked

    def cell(self, code: str) -> CellRequested:
        """Return the request for a cell."""
        return CellRequested(
            id=uuid4(), run_id=self.run_id, role="engineer", producer="engineer", purpose="test", code=code
        )

    async def runs(self, code: str) -> CellCompleted:
        """Have a cell run."""
        completed = await self.app.bus.ask(self.cell(code))
        assert isinstance(completed, CellCompleted)
        return completed

    async def writes(self, path: str, text: str) -> Event:
        """Have a file written."""
        return await self.app.bus.ask(
            FileWriteRequested(
                id=uuid4(), run_id=self.run_id, role="engineer", producer="engineer", path=path, text=text
            )
        )

    async def ends(self) -> None:
        """End the run, as planner would."""
        await self.app.bus.publish(CancelRequested(id=uuid4(), run_id=self.run_id, role="planner", producer="cli"))
        await self.app.bus.publish(
            RunFailed(
                id=uuid4(), run_id=self.run_id, role="planner", producer="planner", reason="cancelled", detail="done"
            )
        )


@asynccontextmanager
async def workers(servers: ServerStack, folder: Path, s3: S3Settings) -> AsyncGenerator[tuple[Engineer, list[Worker]]]:
    """Start two cad-workers and a sim-worker; all are gone when the block ends."""
    environment = {**os.environ, **servers.environment(), **HASTE}
    async with AsyncExitStack() as stack:
        started = [_started(name, folder, environment) for name in ("cad-worker-1", "cad-worker-2", "sim-worker")]
        for worker in started:
            stack.callback(worker.kill)
        app = App("tests", BusSettings(nats_url=servers.nats_url))
        artifacts = Artifacts(s3)
        app.stores_large_fields_in(artifacts)
        for resource in (artifacts, app):
            await resource.start()
            stack.push_async_callback(resource.stop)
        await _until_ready(started)
        engineer = Engineer(app, artifacts)
        stack.push_async_callback(engineer.ends)
        yield engineer, started[:2]


def owner_and_other(both: Sequence[Worker]) -> tuple[Worker, Worker]:
    """Return who has the one open session, and who has none."""
    (owner,) = [worker for worker in both if worker.kernels]
    (other,) = [worker for worker in both if worker is not owner]
    return owner, other


def _started(name: str, folder: Path, environment: Mapping[str, str]) -> Worker:
    own = folder / name
    own.mkdir()
    service = name.rstrip("-12")
    with (own / "log").open("wb") as log:
        process = subprocess.Popen(
            (sys.executable, "-m", "perf.takeovers.counting", service, str(own / "quotes")),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**environment, "KERNEL_WORKSPACES": str(own / "kernels")},
        )
    return Worker(name, process, own)


async def _until_ready(started: Sequence[Worker]) -> None:
    async with asyncio.timeout(READY_S):
        for worker in started:
            while "is ready" not in worker.printed:
                assert worker.process.poll() is None, worker.printed
                await asyncio.sleep(0.05)
