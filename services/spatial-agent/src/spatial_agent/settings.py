"""Settings of the spatial-agent's service."""

from agent.role_app import RoleServiceSettings


class Settings(RoleServiceSettings):
    """NATS, S3, Postgres, the models, and whether perception has servers."""

    perception_gpu_servers: str = ""
    """As for perception-worker, which calls them: with one, or one that is announced, images without a scene can be
    reconstructed and segmented."""
