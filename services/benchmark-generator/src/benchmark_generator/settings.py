"""Settings of the benchmark-generator's service."""

from agent.role_app import RoleServiceSettings


class Settings(RoleServiceSettings):
    """NATS, S3, Postgres and the models."""
