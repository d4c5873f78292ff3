"""Settings of gateways under test."""

from typing import Any

from gateway.settings import Settings

from tests.support.clusters.cluster import Endpoints


def settings_on(endpoints: Endpoints) -> Settings:
    """Return settings of a gateway on these servers: without tokens, on a free port, with a short linger."""
    own: dict[str, Any] = {"gateway_port": 0, "gateway_requests_per_minute": 1_000_000, "gateway_linger_s": 0.2}
    return Settings(**endpoints.settings("gateway"), **own)
