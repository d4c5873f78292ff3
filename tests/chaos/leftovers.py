"""What ended runs have left behind: threads, leases, and messages that no service has acknowledged."""

import asyncio

from agent.loop.checkpoints import PostgresCheckpoints
from agent.role_app import SWEEP_EVERY_S
from chassis.administration.inspection import inspect
from chassis.leases.bucket import BUCKET
from chassis.settings import BusSettings
from chassis.subjects import SubscriptionMode
from contracts.envelope import Role
from contracts.settings import ServerInspectionError
from nats.js.errors import NoKeysError

from tests.chaos.traces import ROLES
from tests.support.clusters.cluster import Client, Endpoints, started

SETTLED_WITHIN_S = SWEEP_EVERY_S + 60.0
"""Threads that outlive their run wait for the next sweep."""
LOOK_S = 2.0
ANSWER_S = 10.0
LASTING = (f"-{SubscriptionMode.SCHEDULE.value}-", f"-{SubscriptionMode.SERVE_THREAD.value}-")
"""In names of consumers that keep messages until a run's deadline, or expire an hour after their session."""


async def settled_leftovers(endpoints: Endpoints, client: Client) -> list[str]:
    """Return what is left once nothing is, or after `SETTLED_WITHIN_S`."""
    end_s = asyncio.get_running_loop().time() + SETTLED_WITHIN_S
    while True:
        left = await _leftovers(endpoints, client)
        if not left or asyncio.get_running_loop().time() > end_s:
            return left
        await asyncio.sleep(LOOK_S)


async def _leftovers(endpoints: Endpoints, client: Client) -> list[str]:
    threads = [await _threads(endpoints, role) for role in ROLES]
    return [*(each for lines in threads for each in lines), *await _leases(client), *await _messages(endpoints)]


async def _threads(endpoints: Endpoints, role: Role) -> list[str]:
    checkpoints = PostgresCheckpoints(endpoints.database_url, role)
    async with started(checkpoints):
        return [f"thread {each} of {role}" for each in await checkpoints.threads()]


async def _leases(client: Client) -> list[str]:
    bucket = await client.bus.js.key_value(BUCKET)
    try:
        return [f"lease {key}" for key in await bucket.keys()]  # pyright: ignore[reportUnknownMemberType]
    except NoKeysError:
        return []


async def _messages(endpoints: Endpoints) -> list[str]:
    try:
        state = await inspect(BusSettings(nats_url=endpoints.nats_url), ANSWER_S)
    except ServerInspectionError as error:
        return [f"messages, perhaps: {error}"]
    return [
        f"{consumer.behind} messages of {durable}"
        for durable, consumer in (state.consumers or {}).items()
        if consumer.behind and not any(part in durable for part in LASTING)
    ]
