"""Random pictures, and prompts for them."""

import numpy as np
from contracts.events.perception import BoxPrompt, PointsPrompt, Prompt
from perception_server.models.interface import Prompted

HEIGHT, WIDTH = 50, 71
BITS = (HEIGHT * WIDTH + 7) // 8
POINT = PointsPrompt(kind="points", foreground=((40.0, 20.0),), background=((5.0, 5.0), (60.0, 40.0)))
BOX = BoxPrompt(kind="box", box=(10.0, 10.0, 40.0, 45.0))


def pictures(count: int) -> tuple[np.ndarray, ...]:
    generator = np.random.default_rng(0)
    return tuple(generator.integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8) for _ in range(count))


def prompted(frames: int, *prompts: Prompt, threshold: float = 0.0, prompt_frame: int = 0) -> Prompted:
    return Prompted(pictures(frames), prompts, prompt_frame, threshold)
