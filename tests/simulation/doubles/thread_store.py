"""The database of checkpoints in memory, and the graph of a role without LangGraph, which takes most of a step's time.

`test_thread_store.py` compares the two graphs.
"""

# pyright: reportPrivateUsage=false
# LangGraph is given the same private nodes.

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from agent.loop.checkpoints import CheckpointsUnavailableError
from agent.loop.thread import RoleGraph

from tests.simulation.doubles.network import Network


@dataclass
class Database:
    """The newest state of every thread; what it has answered is on disk."""

    network: Network
    states: dict[str, str] = field(default_factory=dict[str, str])


class FakeCheckpoints:
    """`agent.loop.checkpoints.Checkpoints` of one role in one process."""

    def __init__(self, database: Database, role: str) -> None:
        self._database = database
        self._role = role
        self.saver: Any = self

    async def start(self) -> None:
        """See `Checkpoints.start`."""

    async def stop(self) -> None:
        """See `Checkpoints.stop`."""

    async def load(self, thread: str) -> str | None:
        """Return the state of a thread."""
        states = self._database.states
        return await self._database.network.call(lambda: states.get(thread), _unavailable)

    async def save(self, thread: str, state: str) -> None:
        """Overwrite the state of a thread."""
        states = self._database.states
        await self._database.network.call(lambda: states.update({thread: state}), _unavailable)

    async def keep_newest(self, thread: str) -> None:
        """Nothing else is kept."""

    async def forget(self, thread: str) -> None:
        """Delete a thread."""
        states = self._database.states
        await self._database.network.call(lambda: states.pop(thread, None), _unavailable)

    async def threads(self) -> list[str]:
        """Return the threads that have a state."""
        states = self._database.states
        return await self._database.network.call(
            lambda: [each for each in states if each.endswith(f":{self._role}")], _unavailable
        )


def _unavailable() -> CheckpointsUnavailableError:
    return CheckpointsUnavailableError("the database does not answer")


class PlainGraph:
    """Calls the nodes of a `RoleGraph` in their order, as its LangGraph does."""

    def __init__(self, graph: RoleGraph[Any]) -> None:
        self._graph: Any = graph
        self._store: FakeCheckpoints = self._graph._checkpoints.saver

    async def ainvoke(self, graph_input: dict[str, Any], thread: dict[str, Any], **_options: Any) -> dict[str, Any]:
        """Advance a thread by one event and checkpoint it at the end."""
        name = thread["configurable"]["thread_id"]
        state = dict(graph_input)
        stored = await self._store.load(name)
        if stored is not None:
            state["state_json"] = stored
        state |= await self._graph._react(state)
        if self._graph._after_reaction(state) == "call_model":
            state |= await self._graph._call_model(state)
        state |= await self._graph._decide(state)
        await self._store.save(name, state["state_json"])
        return state

    async def aget_state(self, thread: dict[str, Any]) -> Any:
        """Return the checkpointed state."""
        stored = await self._store.load(thread["configurable"]["thread_id"])
        return SimpleNamespace(values={} if stored is None else {"state_json": stored})
