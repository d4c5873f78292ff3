"""The one graph that every role is: remember → think → act, entered once per event."""
# LangGraph ships no stubs, and its generics leave parameters open that we do not use:
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

from functools import cached_property
from typing import Generic
from uuid import UUID

from contracts.envelope import Event
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agent.loop.checkpoints import Checkpoints
from agent.loop.nodes import RoleNodes, RoleState, memory_from
from agent.loop.role import Notes
from agent.loop.thread_state import ThreadState


class RoleGraph(Generic[Notes]):
    """One role's graph over its checkpoints; a thread is `run_id:role`."""

    def __init__(self, nodes: RoleNodes[Notes], checkpoints: Checkpoints) -> None:
        self._nodes = nodes
        self._checkpoints = checkpoints

    async def enter(self, event: Event, at_step: int) -> list[Event]:
        """Move the event's thread by one step and return what was decided.

        One checkpoint per event, written at the end: a crash before it is a redelivery. Raises `ThreadMovedError` if
        the thread is not at this step any more.
        """
        heard, thread = {"heard": event, "at_step": at_step}, self._thread(event.run_id)
        state = await self._compiled.ainvoke(heard, thread, durability="exit")  # pyright: ignore[reportArgumentType, reportCallIssue] - LangGraph accepts part of a state as input and does not say so
        await self._checkpoints.keep_newest(self._name(event.run_id))
        return list(state["decided"])

    async def forget(self, run_id: UUID) -> None:
        """Throw a thread away."""
        await self._checkpoints.forget(self._name(run_id))

    async def memory(self, run_id: UUID) -> ThreadState:
        """Return what a thread remembers."""
        snapshot = await self._compiled.aget_state(self._thread(run_id))
        return memory_from(snapshot.values.get("memory_json"))

    @cached_property
    def _compiled(self) -> "CompiledStateGraph[RoleState]":
        # At the first event: a saver exists only once the checkpoints were started.
        graph = StateGraph(RoleState)
        graph.add_node("remember", self._nodes.remember)
        graph.add_node("think", self._nodes.think)
        graph.add_node("act", self._nodes.act)
        graph.add_edge(START, "remember")
        graph.add_conditional_edges("remember", self._nodes.way_on, ["think", "act"])
        graph.add_edge("think", "act")
        graph.add_edge("act", END)
        return graph.compile(checkpointer=self._checkpoints.saver)

    def _thread(self, run_id: UUID) -> RunnableConfig:
        return {"configurable": {"thread_id": self._name(run_id)}}

    def _name(self, run_id: UUID) -> str:
        return f"{run_id}:{self._nodes.role}"
