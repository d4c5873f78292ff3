"""Time of perception from simulated scenes: `./run perf perception [--repetitions 5]`.

Seven objects on a floor, 640 x 480, by the simulator backend, in one process and without the bus. Prints Markdown with
the goals; the exit code is always 0.
"""

import argparse
import time
from collections.abc import Callable
from statistics import median

from contracts.events.perception import KernelOperation, Reconstruct, SegmentVideo, TextPrompt
from contracts.models.questions.spatial_scene import FrameState, SpatialScene
from perception_worker.simulator.backend import SimulatorBackend
from perception_worker.simulator.frame_cache import FrameCache
from questions.generator.question_set import generate
from questions.generator.scenery import camera

from tests.support.measurements import setting, table
from tests.support.questions.perception import CACHE_BYTES, Question, question_about

FRAMES = 32
GOAL_MS = 60
PACKAGES = ("mujoco", "numpy", "pydantic")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time of perception from simulated scenes.")
    parser.add_argument("--repetitions", type=int, default=5)
    repetitions = parser.parse_args().repetitions
    cache = FrameCache(CACHE_BYTES)
    question = question_about(SimulatorBackend(cache), orbit())
    single = Reconstruct(kind="reconstruct", frames=question.frames[:1])
    whole = Reconstruct(kind="reconstruct", frames=question.frames)
    tracked = SegmentVideo(
        kind="segment_video",
        frames=question.frames,
        prompts=(TextPrompt(kind="text", text="object"),),
        prompt_frame_index=0,
    )
    rows = [
        *measured("1 frame, reconstruction", cache, question, single, repetitions, 1),
        *measured(f"{FRAMES} frames, reconstruction", cache, question, whole, repetitions, FRAMES),
        *measured(f"{FRAMES} frames, masks of 7 objects", cache, question, tracked, repetitions, FRAMES),
    ]
    cache.close()
    print(f"# Perception\n\n{setting(PACKAGES)}\n")
    print(f"640 x 480, 7 objects; with the packed arrays. Goal: at most {GOAL_MS} ms per frame that is not cached.\n")
    print(table(("what", "frames", "median ms", "least ms per frame", "least CPU ms per frame", "goal"), rows))


def orbit() -> SpatialScene:
    """Return seven objects, seen from 32 places around them."""
    scene = generate("distance", 3, 0).scene
    places = [each.camera.pose.position_m for each in scene.states]
    cameras = [camera((places[n % 6][0] * (1 + n / 100), places[n % 6][1], places[n % 6][2])) for n in range(FRAMES)]
    return scene.model_copy(update={"states": tuple(FrameState(camera=each) for each in cameras)})


def measured(  # noqa: PLR0913, PLR0917 - what is measured, and how
    name: str, cache: FrameCache, question: Question, operation: KernelOperation, repetitions: int, frames: int
) -> list[tuple[str, ...]]:
    """Return the lines of one operation, with frames that are new to the cache and with frames in it."""

    backend = SimulatorBackend(cache)

    def answer() -> None:
        backend.answer(operation, lambda _: question.scene).packed()

    answer()  # opens the context
    new = [timed_ms(answer, cache.clear) for _ in range(repetitions)]
    cached = [timed_ms(answer, lambda: None) for _ in range(repetitions)]
    return [line(name, "new", new, frames, f"<= {GOAL_MS} ms"), line(name, "cached", cached, frames, "")]


def line(name: str, state: str, times: list[tuple[float, float]], frames: int, goal: str) -> tuple[str, ...]:
    """Return a line of the table from wall and CPU times in ms."""
    walls, cpus = zip(*times, strict=True)
    return name, state, f"{median(walls):.1f}", f"{min(walls) / frames:.1f}", f"{min(cpus) / frames:.1f}", goal


def timed_ms(work: Callable[[], None], prepare: Callable[[], None]) -> tuple[float, float]:
    """Return wall time and CPU time of one call."""
    prepare()
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return 1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu)


if __name__ == "__main__":
    main()
