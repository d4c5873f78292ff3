"""The kinds of kernels with build123d, as the host opens them, and what it reads of their sessions."""

from artifacts.port import ArtifactStore
from documents.benchmarks.certification import certification_markdown
from kernel.runtime.cell import CellReport
from kernel_host.kernel_kind import KernelKind, Place
from kernel_host.protocol import KernelCall
from kernel_host.sessions.session import CellOutcome, Session
from kernel_host.sessions.tool_replies import fetch
from pydantic import BaseModel, JsonValue
from sandbox.channels.channel import HostChannel

from cad_worker.author_protocol import TestAnswer
from cad_worker.session_protocol import (
    DesignCall,
    DesignCellDone,
    DesignReady,
    KernelMessage,
    RerunCall,
    SessionOrder,
    SimulationAnswer,
    SimulationCall,
)


async def receive_message(channel: HostChannel) -> DesignReady | DesignCall | DesignCellDone:
    """Receive a message of a kernel; raise `ChannelBrokenError`."""
    return (await channel.receive(KernelMessage)).root


async def add_trajectory(call: KernelCall, reply: BaseModel, artifacts: ArtifactStore, _place: Place) -> BaseModel:
    """Add the trajectory file to the answer of a simulation: it is too large to be recorded."""
    if not isinstance(call, SimulationCall | RerunCall):
        return reply
    simulated = SimulationAnswer.model_validate_json(reply.model_dump_json())  # recorded replies are plain JSON
    if simulated.result is None or simulated.result.trajectory is None:
        return simulated
    npz = await fetch(artifacts, simulated.result.trajectory)
    return simulated.model_copy(update={"trajectory_npz": npz})


def summarize_simulation(tool: str, reply: JsonValue) -> str:
    """Return what a simulation has shown; empty for another call, and for the test of a station: it tries no design."""
    if tool != "simulation":
        return ""
    result = SimulationAnswer.model_validate(reply).result
    return "" if result is None or result.is_station_test else result.summary_md or "simulated"


def summarize_test(tool: str, reply: JsonValue) -> str:
    """Return what a test of worlds has shown; empty for another call, and for one without a result."""
    if tool != "test":
        return ""
    tested = TestAnswer.model_validate(reply)
    return certification_markdown(tested.worlds, tested.findings) if not tested.problem else ""


DESIGN_KERNEL = KernelKind(
    "cad_worker.kernel_process.session_kernel:run", receive_message, add_trajectory, summarize_simulation
)
AUTHOR_KERNEL = KernelKind(
    "cad_worker.kernel_process.authors.author_kernel:run", receive_message, summarize=summarize_test
)


def order_of(session: Session) -> SessionOrder:
    """Return the order of a session with a design."""
    assert isinstance(session.order, SessionOrder)
    return session.order


def done_of(outcome: CellOutcome) -> DesignCellDone:
    """Return what a cell ended with; nothing for one that was interrupted or killed."""
    return outcome.done if isinstance(outcome.done, DesignCellDone) else DesignCellDone(report=CellReport())
