"""Settings of perception-server from the environment."""

from pathlib import Path
from typing import Annotated, Literal

from chassis.settings import BusSettings
from pydantic import Field, PositiveFloat, PositiveInt, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class WeightSettings(BaseSettings):
    """Where weights are."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True)

    perception_server_weights: Path = Path.home() / ".cache" / "millwright" / "perception"
    """The folder into which `fetch` downloads weights, one folder for each model."""


class Settings(WeightSettings, BusSettings):
    """Where it listens, which models it loads from where, and how much it takes on at once."""

    perception_gpu_token: SecretStr = Field(min_length=16)
    """The bearer token, the same as perception-worker's."""
    perception_server_host: str = "127.0.0.1"
    perception_server_port: Annotated[int, Field(ge=0, le=65535)] = 8500
    """0: a free one."""
    perception_server_url: str = ""
    """Where perception-worker reaches this server. With it, the server announces itself at NATS_URL while it works."""
    perception_server_models: str = "depth-anything-3-base,depth-anything-3-metric,sam3"
    """Names of the models to load, with commas: at most one for each task."""
    perception_server_non_commercial: bool = False
    """Whether weights may be used whose licence excludes commercial use."""
    perception_server_device: Literal["auto", "cuda", "cpu"] = "auto"
    perception_server_fov_deg: Annotated[float, Field(gt=1, lt=170)] = 60.0
    """The horizontal field of view of pictures, for models that do not estimate it."""
    perception_server_request_mb: PositiveInt = 1024
    """Largest request."""
    perception_server_memory_mb: PositiveInt = 4096
    """Requests in memory at once, with their pictures; further ones wait before they are read."""
    perception_server_batch_megapixels: PositiveFloat = 64.0
    """Pictures in one batch."""
    perception_server_cache_mb: PositiveInt = 512
    """Answers that are kept for equal requests."""
