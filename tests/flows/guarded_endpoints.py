"""Servers on which each service has its own user of the broker."""

from dataclasses import dataclass

from tests.support.clusters.cluster import Endpoints
from tests.support.guarded_server import GuardedServer


@dataclass(frozen=True)
class EndpointsWithPermissions(Endpoints):
    """Real servers; the NATS server has a user for each service."""

    nats_server: GuardedServer

    def nats_url_of(self, service: str) -> str:
        """Return the NATS URL of a service with its own user."""
        return self.nats_server.url(service)
