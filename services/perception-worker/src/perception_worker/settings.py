"""Settings of perception-worker from the environment."""

from artifacts.settings import S3Settings
from chassis.settings import BusSettings
from pydantic import PositiveFloat, PositiveInt, SecretStr


class Settings(BusSettings, S3Settings):
    """Bus, artifacts, the cache of rendered frames, and GPU servers."""

    perception_parallel_jobs: PositiveInt | None = None
    """Requests at once; else one per core. Rendering takes turns, since a process has one OpenGL display."""
    perception_cache_mb: PositiveInt = 400
    """Memory for depths and objects of rendered frames."""
    perception_gpu_servers: str = ""
    """Addresses of GPU servers, separated by commas, such as `http://gpu-1:8500`, besides those that are announced."""
    perception_gpu_token: SecretStr = SecretStr("")
    """Their bearer token. Without it, announced servers are not used; without servers either, frames without a scene
    are perceived without models: cameras and sparse depths, and masks by colour and motion."""
    perception_gpu_call_s: PositiveFloat = 120.0
    """How long one call of a server may take."""
    perception_gpu_wait_s: PositiveFloat = 60.0
    """How long a request looks for a server that answers, before it fails."""
