"""Rendered frames: drawn once, in one thread, and kept within a limit of memory."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

from contracts.models.artifact import Sha256
from contracts.models.questions.spatial_scene import FrameState, SpatialScene
from spatial.arrays import Bytes

from perception_worker.results import RefusedError
from perception_worker.simulator.renderer import FrameBuffers, FrameRenderer
from perception_worker.simulator.scene_model import build_model

OPEN_RENDERERS = 3
"""Scenes that stay compiled, each with an OpenGL context."""

R = TypeVar("R")


@dataclass(frozen=True)
class FrameKey:
    """Which frame of which scene, and its size."""

    scene_sha256: Sha256
    state: int
    width: int
    height: int


class FrameCache:
    """Renders frames in a thread of its own, as an OpenGL context belongs to one thread. Its methods block."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._kept: OrderedDict[FrameKey, FrameBuffers] = OrderedDict()
        self._kept_bytes = 0
        self._lock = Lock()
        self._renderers: OrderedDict[tuple[Sha256, int, int], tuple[FrameRenderer, ExitStack]] = OrderedDict()
        self._thread = ThreadPoolExecutor(1, "perception-render")
        self.rendered = 0
        """Frames drawn so far; the others were kept."""

    def buffers(self, key: FrameKey, scene: SpatialScene) -> FrameBuffers:
        """Return depth and objects of a frame; raise `RefusedError` for a scene that cannot be drawn."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        state = state_of(scene, key.state)
        drawn = self._draw(key, scene, lambda renderer: renderer.buffers(state))
        with self._lock:
            self.rendered += 1
            self._keep(key, drawn)
        return drawn

    def picture(self, key: FrameKey, scene: SpatialScene) -> Bytes:
        """Return what a frame's camera sees, (h, w, 3)."""
        state = state_of(scene, key.state)
        return self._draw(key, scene, lambda renderer: renderer.picture(state))

    async def start(self) -> None:
        """Open nothing: contexts are opened for the first frame of a scene."""

    async def stop(self) -> None:
        """Free all OpenGL contexts and end the thread."""
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Free all OpenGL contexts and end the thread."""
        self._thread.submit(self._close_renderers, 0).result()
        self._thread.shutdown()

    def _draw(self, key: FrameKey, scene: SpatialScene, draw: Callable[[FrameRenderer], R]) -> R:
        return self._thread.submit(lambda: draw(self._renderer(key, scene))).result()

    def _keep(self, key: FrameKey, drawn: FrameBuffers) -> None:
        if key in self._kept:
            return
        self._kept[key] = drawn
        self._kept_bytes += drawn.size_bytes
        while self._kept_bytes > self._limit_bytes:
            _, dropped = self._kept.popitem(last=False)
            self._kept_bytes -= dropped.size_bytes

    def _renderer(self, key: FrameKey, scene: SpatialScene) -> FrameRenderer:
        """Return an open renderer of the scene; runs in the thread."""
        name = (key.scene_sha256, key.width, key.height)
        if name not in self._renderers:
            self._close_renderers(OPEN_RENDERERS - 1)
            stack = ExitStack()
            built = build_model(scene, key.width, key.height)
            self._renderers[name] = stack.enter_context(FrameRenderer(built, key.width, key.height)), stack
        self._renderers.move_to_end(name)
        return self._renderers[name][0]

    def _close_renderers(self, keep: int) -> None:
        while len(self._renderers) > keep:
            _, (_, stack) = self._renderers.popitem(last=False)
            stack.close()


def state_of(scene: SpatialScene, number: int) -> FrameState:
    """Return a state of a scene; raise `RefusedError` if the scene has fewer."""
    if number >= len(scene.states):
        raise RefusedError("unknown_frame", f"the scene has {len(scene.states)} states, number {number} is not one")
    return scene.states[number]
