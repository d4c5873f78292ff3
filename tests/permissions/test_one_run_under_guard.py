"""A whole run where each service is let in as itself alone."""

from dataclasses import dataclass

from artifacts.settings import S3Settings
from contracts.events.run import RunSucceeded
from contracts.events.skill import SkillLearned, SkillRejected

from tests.flows.complete_runs import order, run_once
from tests.permissions.guarded import Guarded, visiting
from tests.support.cluster import Endpoints


@dataclass(frozen=True)
class GuardedEndpoints(Endpoints):
    """Real servers, of which NATS knows who is who."""

    guarded: Guarded

    def nats_url_of(self, service: str) -> str:
        """Return where a service finds the bus, with its own user."""
        return self.guarded.url(service)


async def test_a_run_is_solved_learned_from_and_recorded_with_a_user_for_each_service(
    guarded: Guarded, database_url: str, s3_settings: S3Settings
) -> None:
    servers = GuardedEndpoints("", database_url, s3_settings, guarded)
    async with visiting(guarded, "cli") as visitor:
        await visitor.refused_publishing(["mw.run.succeeded.a.b.c"])
    refused_before = guarded.violations()
    assert refused_before  # the log tells
    run = await run_once(servers, order("gravity-chute", 1))
    (end,) = run.of_class(RunSucceeded)
    assert isinstance(end, RunSucceeded)
    assert end.result.verdict == "solved"
    assert run.of_class(SkillLearned) or run.of_class(SkillRejected)
    assert [event.id for event in run.recorded[: len(run.events)]] == [event.id for event in run.events]
    assert guarded.violations() == refused_before
