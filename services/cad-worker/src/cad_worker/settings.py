"""Settings of cad-worker, from the environment."""

from pathlib import Path

from artifacts.settings import S3Settings
from chassis.settings import BusSettings
from pydantic import Field, PositiveFloat, PositiveInt


class Settings(BusSettings, S3Settings):
    """Bus, artifacts and kernels."""

    kernel_workspaces: Path | None = Field(default=None, description="Folder for workspaces; else the temporary one")
    kernel_parallel_jobs: PositiveInt | None = Field(
        default=None, description="Builds, cells and verdicts at once; else one per core"
    )
    kernel_start_s: PositiveFloat = Field(
        default=120.0, description="How long a start waits for CAD to be imported; much longer the first time"
    )
    kernel_replay_s: PositiveFloat = Field(
        default=300.0, description="How long the replay of a lost kernel may run completed cells again"
    )
