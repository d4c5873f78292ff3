"""The handler that checks a world once its environment is built."""

import time

from artifacts.port import ArtifactStore, get_json
from contracts.events.run import EnvironmentBuilt, WorldChecked, WorldRefused
from contracts.models.scene import Scene
from pydantic import ValidationError

from sim_worker.handlers import NAME
from sim_worker.run.cancellation import run_in_thread
from sim_worker.world_check import WorldRefusedError, check_world

_NO_SCENE = "it was built by an older version of cad-worker, which stored no scene; run the command again"


async def check_environment(built: EnvironmentBuilt, artifacts: ArtifactStore) -> WorldChecked | WorldRefused:
    """Simulate the environment without a machine, in a thread, so that the service stays responsive."""
    started = time.monotonic()
    if built.scene is None:
        return WorldRefused.answering(built, NAME, reason="scene_invalid", detail=_NO_SCENE)
    try:
        scene = await get_json(artifacts, built.scene, Scene)
        checked = await run_in_thread(lambda cancellation: check_world(scene, cancellation))
    except ValidationError as error:
        detail = f"the scene is malformed: {error.errors(include_url=False, include_input=False)[0]['msg']}"
        return WorldRefused.answering(built, NAME, reason="scene_invalid", detail=detail)
    except WorldRefusedError as refusal:
        return WorldRefused.answering(built, NAME, reason=refusal.reason, detail=refusal.detail)
    return WorldChecked.answering(
        built,
        NAME,
        environment=built.environment,
        without_machine=checked.without_machine,
        check_s=time.monotonic() - started,
    )
