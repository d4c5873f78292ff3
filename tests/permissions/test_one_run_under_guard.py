"""A whole run where each service is let in as itself alone."""

from dataclasses import dataclass

from artifacts.settings import S3Settings
from contracts.events.run import RunSucceeded
from contracts.events.skill import SkillLearned, SkillRejected

from tests.flows.full_run import Servers, order, run_once
from tests.permissions.guarded import Guarded, visiting


@dataclass(frozen=True)
class GuardedServers(Servers):
    """Real servers, of which NATS knows who is who."""

    guarded: Guarded

    def nats_url_of(self, service: str) -> str:
        """Return where a service finds the bus, with its own user."""
        return self.guarded.url(service)


async def test_a_run_is_solved_learned_from_and_recorded_with_a_user_for_each_service(
    guarded: Guarded, database_url: str, s3_settings: S3Settings
) -> None:
    servers = GuardedServers("", database_url, s3_settings, guarded)
    async with visiting(guarded, "cli") as visitor:
        await visitor.refused_publishing(["mw.run.succeeded.a.b.c"])
    refused_before = guarded.violations()
    assert refused_before  # the log tells
    told = await run_once(servers, order("gravity-chute", 1))
    (end,) = told.of_class(RunSucceeded)
    assert isinstance(end, RunSucceeded)
    assert end.result.verdict == "solved"
    assert told.of_class(SkillLearned) or told.of_class(SkillRejected)
    assert [event.id for event in told.recorded[: len(told.events)]] == [event.id for event in told.events]
    assert guarded.violations() == refused_before
