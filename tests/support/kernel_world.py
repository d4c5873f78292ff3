"""A small world with a kernel host, and cells for its sessions."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from artifacts.port import reference
from cad_worker.host import KernelHost
from cad_worker.session_protocol import SessionOrder, SimulationAnswer
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Assignment, Limits, Payload, Variant
from contracts.models.geometry import Box
from kernel_host.protocol import KernelCall
from kernel_host.sessions.session import Cell, CellOutcome, Session
from pydantic import BaseModel

ENVIRONMENT_CODE = """
from build123d import Box, Compound, Pos

def build(variant):
    floor = Pos(0, 0, -5) * Box(400, 400, 10)
    floor.label = "floor"
    return Compound(label="environment", children=[floor])
"""
GOOD_SCRIPT = """
from build123d import *
from utils import ManufacturingMethod

plate = Pos(0, 0, 5) * Box(60, 40, 10)
plate.label = "plate"
plate.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
assembly = Compound(label="machine", children=[plate])
"""

CAD_CELL = "from build123d import *\nplate = Box(60, 40, 10) - Cylinder(6, 20)\nprint(plate.volume)"
SMALL_CELL = "x = 1"
LIMIT_S = 60.0
SECRET = "a-secret-of-the-worker"
"""In the environment of the tests' own worker, and nowhere in a kernel."""


@dataclass(frozen=True)
class KernelWorld:
    """A started host and the order of its sessions."""

    host: KernelHost
    order: SessionOrder
    folder: Path
    """Contains the folder of workspaces."""

    async def session(self) -> Session:
        """Return an open session."""
        return await self.host.open_session(self.order, {}, {})


@asynccontextmanager
async def kernel_world() -> AsyncGenerator[KernelWorld]:
    """Start a host and build the world."""
    with TemporaryDirectory() as folder:
        host = KernelHost(Path(folder))
        await host.start()
        try:
            given = assignment(reference(ENVIRONMENT_CODE.encode(), "text/x-python"))
            build = await host.build_environment(ENVIRONMENT_CODE, given.variant)
            assert build.files is not None, build.fault
            yield KernelWorld(host, SessionOrder(assignment=given, environment=build.files.geometry), Path(folder))
        finally:
            await host.stop()


def assignment(environment_code: ArtifactRef) -> Assignment:
    """Return the assignment of this world."""
    variant = Variant(
        benchmark="table",
        title="Table",
        description="Keep the marble on the table.",
        seed=0,
        level=1,
        bounds=Box(min_mm=(-200, -200, -20), max_mm=(200, 200, 300)),
        build_zone=Box(min_mm=(-100, -100, 0), max_mm=(100, 100, 100)),
        goal_zone=Box(min_mm=(-90, -90, 0), max_mm=(90, 90, 60)),
        payload=Payload(shape="ball", size_mm=10, start_mm=(0, 0, 150), density_kg_m3=1180, friction=0.4),
        environment_code=environment_code,
    )
    return Assignment(variant=variant, limits=Limits(max_unit_price_usd=100, max_mass_kg=1), quantity=100)


async def run(session: Session, code: str, timeout_s: float = LIMIT_S) -> CellOutcome:
    """Run a cell; every tool call gets a refusal."""
    return await session.run(Cell(code, "cell", 0, timeout_s), _no_tools)


async def _no_tools(_call: KernelCall, _ordinal: int) -> BaseModel:
    return SimulationAnswer(problem="no tool here")
