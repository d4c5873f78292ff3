"""What sim-worker reads from the environment."""

from typing import Annotated

from artifacts.settings import S3Settings
from chassis.settings import BusSettings
from pydantic import Field, PositiveInt

EvenInt = Annotated[int, Field(gt=0, multiple_of=2)]
"""H.264 halves its colour planes."""


class Settings(BusSettings, S3Settings):
    """Bus, artifacts, and how much of the machine physics may use."""

    sim_threads: PositiveInt = 2
    """Threads that replicas are simulated in; the result does not depend on it."""
    sim_video_width: EvenInt = 800
    sim_video_height: EvenInt = 600
