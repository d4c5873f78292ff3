"""Settings of sim-worker from the environment."""

from typing import Annotated

from artifacts.settings import S3Settings
from chassis.settings import BusSettings
from pydantic import Field, PositiveInt
from pydantic_settings import BaseSettings, SettingsConfigDict

EvenInt = Annotated[int, Field(gt=0, multiple_of=2)]
"""yuv420p halves width and height of its colour planes."""


class VideoSettings(BaseSettings):
    """The size of videos."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True)

    sim_video_width: EvenInt = 800
    sim_video_height: EvenInt = 600


class Settings(VideoSettings, BusSettings, S3Settings):
    """Bus, artifacts, simulation threads and the size of videos."""

    sim_threads: PositiveInt = 2
    """Threads that simulate replicas; results do not depend on their number."""
    sim_parallel_jobs: PositiveInt | None = None
    """Simulations, checks of worlds, pictures and films at once; else one per core."""
