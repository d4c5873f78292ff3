"""Trajectories on their way into a kernel: fetched with every reply, recorded with none."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from artifacts.port import ArtifactStore, ArtifactsUnavailableError
from pydantic import BaseModel

from cad_worker.session_protocol import KernelCall, RerunCall, SimulationAnswer, SimulationCall

STORE_AGAIN_S = 1.0
Answer = Callable[[KernelCall, int], Awaitable[BaseModel]]
"""Answers the nth tool call of a cell, or gives the answer of then."""

_log = logging.getLogger(__name__)


def with_trajectories(answer: Answer, artifacts: ArtifactStore) -> Answer:
    """Return the same answers, those of simulations with their trajectory file. A store that is away is waited for."""

    async def complete(wanted: KernelCall, ordinal: int) -> BaseModel:
        reply = await answer(wanted, ordinal)
        if not isinstance(wanted, SimulationCall | RerunCall):
            return reply
        told = SimulationAnswer.model_validate_json(reply.model_dump_json())  # recorded replies are plain JSON
        if told.result is None or told.result.trajectory is None:
            return told
        while True:
            try:
                npz = await artifacts.get(told.result.trajectory)
            except ArtifactsUnavailableError as error:
                _log.warning("the trajectory of a simulation is waited for: %s", error)
                await asyncio.sleep(STORE_AGAIN_S)
            else:
                return told.model_copy(update={"trajectory_npz": npz})

    return complete
