"""A whole run in which each service connects as its own user."""

from dataclasses import dataclass

from artifacts.settings import S3Settings
from contracts.events.run import RunSucceeded
from contracts.events.skill import SkillLearned, SkillRejected

from tests.flows.complete_runs import order, run_once
from tests.permissions.guarded_server import GuardedServer, connected_as
from tests.support.clusters.cluster import Endpoints


@dataclass(frozen=True)
class EndpointsWithPermissions(Endpoints):
    """Real servers; the NATS server has permissions."""

    nats_server: GuardedServer

    def nats_url_of(self, service: str) -> str:
        """Return the NATS URL of a service with its own user."""
        return self.nats_server.url(service)


async def test_run_succeeds_with_a_user_for_each_service(
    guarded_server: GuardedServer, database_url: str, s3_settings: S3Settings
) -> None:
    endpoints = EndpointsWithPermissions("", database_url, s3_settings, guarded_server)
    async with connected_as(guarded_server, "cli") as connection:
        await connection.refused_publishing(["mw.run.succeeded.a.b.c"])
    refused_before = guarded_server.violations()
    assert refused_before  # proves that the log has refusals
    run = await run_once(endpoints, order("gravity-chute", 1))
    (end,) = run.of_class(RunSucceeded)
    assert isinstance(end, RunSucceeded)
    assert end.result.verdict == "solved"
    assert run.of_class(SkillLearned) or run.of_class(SkillRejected)
    assert [event.id for event in run.recorded[: len(run.events)]] == [event.id for event in run.events]
    assert guarded_server.violations() == refused_before
