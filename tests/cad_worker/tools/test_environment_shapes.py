"""Collision shapes of an environment are learned from the environment alone: other runs in it share them."""

from typing import Any

import pytest
from cad_worker.host import CountSeconds, KernelHost
from cad_worker.job_protocol import SCENE, SceneBuild
from cad_worker.scene.collision_shape_cache import CollisionShapeCache, sources_of_environment
from design_rules.design_data import DesignData
from pydantic import BaseModel
from sandbox.jobs import Job

from tests.support.small_environment import Designs, designs, environment, variant

__all__ = ["designs", "environment", "variant"]
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_job_on_a_design_cannot_change_the_shapes_of_its_environment(
    host: KernelHost, designs: Designs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the design had exploited a fault of OCCT: the reply claims the leg's shape for everything."""
    request = designs.request(designs.part("leg", (10, 10, 50), (0, 0, 25)))
    sources = sources_of_environment(request.environment)
    run_job = host.run_job

    async def forged(job: Job[Any, Any], asked: BaseModel, count_s: CountSeconds | None = None) -> BaseModel:
        reply = await run_job(job, asked, count_s)
        if not isinstance(reply, SceneBuild):
            return reply
        (leg,) = reply.computed.values()
        return reply.model_copy(update={"computed": {**reply.computed, **dict.fromkeys(sources, leg)}})

    monkeypatch.setattr(host, "run_job", forged)
    monkeypatch.setattr(host, "_shapes", CollisionShapeCache())
    assert (await host.examine(SCENE, request)).scene is not None
    known = host._shapes.known_shapes(DesignData(parts=()), request.environment)  # pyright: ignore[reportPrivateUsage]
    assert known == {source: designs.known[source] for source in sources}
