"""A GPU server of our own: it speaks the protocol over HTTP, and answers by the simulator instead of models."""

import hmac
import json
from base64 import b64decode
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import numpy as np
from contracts.events.perception import Reconstruct, SegmentImage, SegmentVideo
from contracts.models.questions.frames import FrameRef
from perception_worker.results import Found, ReconstructedFrames, RefusedError, SegmentedFrames
from perception_worker.simulator.backend import SimulatorBackend
from pydantic import TypeAdapter, ValidationError
from spatial.array_codec import encode

from tests.support.questions.perception import Question

TOKEN = "token-of-the-fake-server"


@dataclass
class FakeGpuServer:
    """What it does to calls, and what it got."""

    backend: SimulatorBackend
    question: Question
    status: int | None = None
    """Instead of an answer."""
    body: bytes | None = None
    """Instead of an answer."""
    hangs: Event | None = None
    """Calls wait until this is set."""
    error: tuple[str, str] | None = None
    """Type and message, as of an exception of a model."""
    methods: list[str] = field(default_factory=list[str])
    address: str = ""

    def answer(self, request: Mapping[str, Any]) -> bytes:
        """Return the answer to a call as MessagePack."""
        self.methods.append(request["method"])
        if self.error:
            kind, message = self.error
            return encode({"version": 1, "ok": False, "error": {"type": kind, "message": message}})
        found = self.backend.answer(self._operation(request), lambda _: self.question.scene)
        return encode({"version": 1, "ok": True, "result": _result(found)})

    def _operation(self, request: Mapping[str, Any]) -> Reconstruct | SegmentImage | SegmentVideo:
        arguments = request["kwargs"]
        known = {frame.picture.sha256: frame for frame in self.question.frames}
        frames: list[FrameRef] = []
        for index, image in zip(arguments["frame_indices"], arguments["images"], strict=True):
            digest = sha256(b64decode(image)).hexdigest()
            frames.append(known[digest].model_copy(update={"frame_index": index}))
        match request["deployment"], request["method"]:
            case "spatial_Reconstruct", "reconstruct":
                return Reconstruct(kind="reconstruct", frames=tuple(frames), align=arguments["align"])
            case "spatial_SAM3", "detect" | "segment_video":
                prompt_frame: int = arguments["prompt_frame"]
                fields: dict[str, object] = {
                    "kind": "segment_video",
                    "frames": frames,
                    "prompts": arguments["prompts"],
                    "prompt_frame_index": frames[prompt_frame].frame_index,
                    "confidence_threshold": arguments["confidence_threshold"],
                }
                return TypeAdapter(SegmentVideo).validate_python(fields)
            case unknown:
                raise KeyError(f"{unknown} is unknown")


def _result(found: Found) -> dict[str, object]:
    if isinstance(found, ReconstructedFrames):
        return {
            "depth": found.depth,
            "confidence": found.confidence.astype(np.float32) / 255,
            "extrinsics": found.extrinsics,
            "intrinsics": np.array([[each.fx, each.fy, each.cx, each.cy] for each in found.intrinsics]),
            "gravity": np.array(found.gravity_direction),
            "metric_scale": found.metric_scale,
        }
    assert isinstance(found, SegmentedFrames)
    return {
        "masks": found.masks,
        "labels": [each.label for each in found.objects],
        "prompts": [each.prompt for each in found.objects],
        "scores": [each.score for each in found.objects],
    }


@contextmanager
def running(server: FakeGpuServer) -> Generator[FakeGpuServer]:
    """Serve on a free port of the loopback interface."""
    handler = type("Handler", (_Handler,), {"fake": server})
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    http.daemon_threads = True
    thread = Thread(target=http.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    server.address = f"http://127.0.0.1:{http.server_port}"
    try:
        yield server
    finally:
        if server.hangs is not None:
            server.hangs.set()
        http.shutdown()
        http.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    fake: FakeGpuServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its parent's name
        """Print nothing."""

    def do_GET(self) -> None:
        """Report health."""
        self._send(HTTPStatus.OK, json.dumps({"status": "ok", "tools": ["SAM3", "Reconstruct"]}).encode())

    def do_POST(self) -> None:
        """Answer a call."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.fake.hangs is not None:
            self.fake.hangs.wait()
        if self.fake.status is not None or self.fake.body is not None:
            self._send(self.fake.status or HTTPStatus.OK, self.fake.body or b"")
        elif not hmac.compare_digest(self.headers.get("Authorization", ""), f"Bearer {TOKEN}"):
            self._send(HTTPStatus.UNAUTHORIZED, b"")
        else:
            self._answer(body)

    def _answer(self, body: bytes) -> None:
        try:
            self._send(HTTPStatus.OK, self.fake.answer(json.loads(body)))
        except (KeyError, ValidationError, RefusedError) as error:
            self._send(HTTPStatus.BAD_REQUEST, str(error).encode())

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
