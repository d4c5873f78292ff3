"""Settings of the spatial-agent's service."""

from agent.role_app import RoleServiceSettings


class Settings(RoleServiceSettings):
    """NATS, S3, Postgres and the models."""
