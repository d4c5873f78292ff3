"""Calls of a perception server at once and one by one: `./run perf models/perception_server [--calls 64]`.

perception-worker's client asks a server with tiny models of random weights on this CPU, in the environment that
`./run test-perception` makes. It shows what the queue and batches gain, and not how fast the real models are. Prints
Markdown; the exit code is 1 if an answer is missing.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from artifacts.port import reference
from contracts.events.perception import Reconstruct, SegmentImage, SegmentVideo, TextPrompt
from contracts.models.questions.frames import FrameRef
from perception_worker.gpu.backend import GpuBackend
from perception_worker.gpu.client import GpuClient
from perception_worker.gpu.servers import Servers
from perception_worker.results import Found
from PIL import Image

from tests.support.measurements import setting, table
from tests.support.questions.perception_server import TOKEN
from tests.support.questions.server_process import ServerProcess

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".millwright" / "perception" / "bin" / "python"
WIDTH, HEIGHT = 320, 240
CUBE = TextPrompt(kind="text", text="cube")
Operation = Reconstruct | SegmentImage | SegmentVideo


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Calls of a perception server at once and one by one.")
    parser.add_argument("--calls", type=int, default=64)
    calls = parser.parse_args().calls
    if not PYTHON.exists():
        sys.exit("perception's environment is missing: `./run test-perception` makes it")
    with TemporaryDirectory() as folder:
        server = ServerProcess(PYTHON, "tests.perception_models.tiny_server", Path(folder) / "log")
        server.start(PERCEPTION_SERVER_CACHE_MB="1")
        try:
            rows = asyncio.run(measured(server.address, calls))
        finally:
            server.kill()
    print(f"# Perception server\n\n{setting(('numpy', 'httpx', 'uvicorn'))}\n")
    print(f"Tiny models of random weights on this CPU; {calls} calls with pictures of {WIDTH} x {HEIGHT}.\n")
    print(table(("calls", "one by one, s", "at once, s", "gain"), rows))
    return 0


async def measured(address: str, calls: int) -> list[tuple[str, ...]]:
    """Return a line for each method."""
    client = GpuClient(Servers((address,)), TOKEN, call_s=300, wait_s=0)
    gpu, files, frames = GpuBackend(client), dict[str, bytes](), list[FrameRef]()
    for number in range(2 * calls):
        data = picture(number)
        files[reference(data, "image/png").sha256] = data
        frames.append(frame(data, number))
    try:
        rows: list[tuple[str, ...]] = []
        for name, operations in (
            ("depth of one picture", [Reconstruct(kind="reconstruct", frames=(each,)) for each in frames]),
            ("masks by text", [SegmentImage(kind="segment_image", frame=each, prompt=CUBE) for each in frames]),
        ):
            alone_s = await timed(gpu, files, operations[:calls], at_once=False)
            together_s = await timed(gpu, files, operations[calls:], at_once=True)
            rows.append((name, f"{alone_s:.1f}", f"{together_s:.1f}", f"{alone_s / together_s:.2f}"))
        return rows
    finally:
        await client.stop()


async def timed(gpu: GpuBackend, files: dict[str, bytes], operations: Sequence[Operation], *, at_once: bool) -> float:
    """Return the seconds until all are answered."""
    began_s = time.perf_counter()
    if at_once:
        found: list[Found] = await asyncio.gather(*(gpu.answer(each, files) for each in operations))
    else:
        found = [await gpu.answer(each, files) for each in operations]
    assert len(found) == len(operations)
    return time.perf_counter() - began_s


def picture(seed: int) -> bytes:
    """Return a PNG of random colours in large squares."""
    colours = np.random.default_rng(seed).integers(0, 255, (HEIGHT // 40, WIDTH // 40, 3), np.uint8)
    file = BytesIO()
    Image.fromarray(colours.repeat(40, axis=0).repeat(40, axis=1)).save(file, "PNG")
    return file.getvalue()


def frame(data: bytes, number: int) -> FrameRef:
    """Return a picture as a question has it."""
    stored = reference(data, "image/png")
    return FrameRef(picture=stored, frame_index=number, time_s=0.0, width_px=WIDTH, height_px=HEIGHT)


if __name__ == "__main__":
    sys.exit(main())
