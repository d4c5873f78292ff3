"""A perception server with models that are exact about plain pictures, over HTTP on a free port.

`python -m tests.support.questions.perception_server` serves them at the port of the environment; with the argument
`holds`, videos are never answered.
"""

import asyncio
import socket
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from threading import Event

import numpy as np
import uvicorn
from contracts.events.perception import TextPrompt
from perception_server.app import make_app
from perception_server.calls.engine import Engine
from perception_server.models.interface import (
    AbandonedError,
    Cameras,
    FoundObjects,
    ModelCard,
    OutOfMemoryError,
    Prompted,
    Views,
    packed,
)
from perception_server.settings import Settings

TOKEN = "token-of-the-perception-server"
CARDS = (
    ModelCard("flat", "reconstruct", "tests/flat", "1", "Apache-2.0", is_commercial=True),
    ModelCard("bright", "segment", "tests/bright", "2", "Apache-2.0", is_commercial=True),
)


@dataclass
class FlatDepth:
    """A model whose pictures are all taken upright, 2 m before a wall."""

    max_views: int = 64
    is_metric: bool = True
    notes: tuple[str, ...] = ()

    def reconstruct(self, scenes: Sequence[Views]) -> list[Cameras]:
        """Return the same cameras for each."""
        return [self._cameras(scene) for scene in scenes]

    def _cameras(self, scene: Views) -> Cameras:
        views, height, width = np.shape(scene.pictures)[:3]
        depth = np.full((views, height, width), 2.0, np.float32)
        focal_px = next((each for each in scene.focal_px if each), float(width))
        intrinsics = np.tile([focal_px, focal_px, width / 2 - 0.5, height / 2 - 0.5], (views, 1))
        cameras = Cameras(depth, np.ones_like(depth), intrinsics, np.tile(np.eye(4), (views, 1, 1)))
        return replace(cameras, is_metric=self.is_metric, notes=self.notes)


@dataclass
class BrightPixels:
    """A model that finds one object for each prompt with text: the pixels that are brighter than half."""

    takes_texts: bool = True
    most_at_once: int = 64
    opens: Event | None = None
    """Calls wait until this is set."""
    fails: bool = False
    batches: list[int] = field(default_factory=list[int])
    abandoned: int = 0

    def detect(self, requests: Sequence[Prompted]) -> list[FoundObjects]:
        """Find the object in each picture."""
        self.batches.append(len(requests))
        if self.opens is not None:
            self.opens.wait(10)
        if self.fails:
            raise RuntimeError("a fault of the model")
        if len(requests) > self.most_at_once:
            raise OutOfMemoryError(f"{len(requests)} pictures are too many")
        return [_bright(each) for each in requests]

    def track(self, request: Prompted) -> FoundObjects:
        """Find the object in each frame, for as long as it is wanted."""
        while self.opens is not None and not self.opens.wait(0.01):
            if not request.is_wanted():
                self.abandoned += 1
                raise AbandonedError
        return _bright(request)


def _bright(request: Prompted) -> FoundObjects:
    texts = [(number, each.text) for number, each in enumerate(request.prompts) if isinstance(each, TextPrompt)]
    mask = np.stack(request.pictures).mean(axis=3) > 127
    masks = np.repeat(mask[:, None], len(texts), axis=1)
    numbers, labels = tuple(number for number, _ in texts), tuple(text for _, text in texts)
    return FoundObjects(packed(masks), labels, numbers, (0.75,) * len(texts))


def settings_of(**fields: object) -> Settings:
    """Return settings with the token of these tests."""
    return Settings.model_validate({"perception_gpu_token": TOKEN, **fields})


@asynccontextmanager
async def perception_server(
    reconstructor: FlatDepth | None = None, segmenter: BrightPixels | None = None, **fields: object
) -> AsyncGenerator[str]:
    """Serve the models; provide the address."""
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    settings = settings_of(**{name: address if value == "own" else value for name, value in fields.items()})
    app = make_app(settings, Engine(reconstructor, segmenter), CARDS)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=1))
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started:  # noqa: ASYNC110 - uvicorn sends no notification
        await asyncio.sleep(0.01)
    try:
        yield address
    finally:
        server.should_exit = True
        await serving
        listening.close()


def main() -> None:
    """Serve until a signal."""
    settings = Settings()  # pyright: ignore[reportCallIssue] - the environment fills what has no default
    segmenter = BrightPixels(opens=Event() if "holds" in sys.argv else None)
    app = make_app(settings, Engine(FlatDepth(), segmenter), CARDS)
    uvicorn.run(app, host=settings.perception_server_host, port=settings.perception_server_port, log_config=None)


if __name__ == "__main__":
    main()
