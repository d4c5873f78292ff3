"""Tests of the list of subjects, on a real server whose pages are made small on the way."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import json
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from chassis.stream.subject_list import list_subjects
from chassis.subjects import STREAM
from nats.aio.client import Client
from nats.aio.msg import Msg

from tests.support.clusters.nats_server import NatsServer

PAGE = 4
SUBJECTS = [f"mw.run.{number:02d}" for number in range(11)]


class SmallPages(Client):
    """A client that gets `PAGE` subjects at most in an answer, and counts the answers."""

    def __init__(self) -> None:
        super().__init__()
        self.pages = 0
        self.before_page: Callable[[int], Awaitable[None]] | None = None
        """Called with the number of the page that is read next, from 0."""

    async def request(self, subject: str, payload: bytes = b"", *options: object, **named: object) -> Msg:
        is_list = b"subjects_filter" in payload
        if is_list and self.before_page is not None:
            await self.before_page(self.pages)
        reply = await super().request(subject, payload, *options, **named)  # pyright: ignore[reportArgumentType]
        if is_list:
            self.pages += 1
            answer = json.loads(reply.data)
            subjects = answer["state"].get("subjects", {})
            answer["state"]["subjects"] = {each: subjects[each] for each in sorted(subjects)[:PAGE]}
            reply.data = json.dumps(answer).encode()
        return reply


@pytest.fixture
async def client(server: NatsServer) -> AsyncIterator[SmallPages]:
    client = SmallPages()
    await client.connect(server.url)
    for subject in [*SUBJECTS, "mw.plan.00"]:
        await client.jetstream().publish(subject)
    yield client
    await client.close()


async def test_list_longer_than_a_page_is_read_whole(client: SmallPages):
    assert await list_subjects(client, "mw.run.>") == SUBJECTS
    assert client.pages == 4


async def test_list_of_one_page_is_read_at_once(client: SmallPages):
    assert await list_subjects(client, "mw.plan.>") == ["mw.plan.00"]
    assert await list_subjects(client, "mw.design.>") == []
    assert client.pages == 2


async def test_list_that_moves_between_pages_loses_no_subject(client: SmallPages):
    async def purge_first(page: int) -> None:
        if page == 1:
            await client.jetstream().purge_stream(STREAM, subject=SUBJECTS[0])

    client.before_page = purge_first
    assert await list_subjects(client, "mw.run.>") == SUBJECTS[1:]


async def test_list_that_is_purged_meanwhile_is_empty(client: SmallPages):
    async def purge_all(page: int) -> None:
        if page == 1:
            await client.jetstream().purge_stream(STREAM, subject="mw.run.>")

    client.before_page = purge_all
    assert await list_subjects(client, "mw.run.>") == []
