"""The message channel: what an untrusted child may send, and how little it costs the host to refuse the rest."""

import os
import socket
import struct
import threading
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio
from pydantic import BaseModel
from sandbox.channels.channel import (
    UNTRUSTED,
    ChannelBrokenError,
    ChildChannel,
    HostChannel,
    InvalidMessageError,
    MessageTooLargeError,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")

MIB = 1 << 20


class Items(BaseModel):
    """A message."""

    items: tuple["Items", ...] = ()
    text: str = ""


@dataclass
class Ends:
    """Both ends of a channel."""

    host: HostChannel
    child: ChildChannel
    socket: socket.socket
    """The child's."""

    @property
    def descriptor(self) -> int:
        return self.socket.fileno()

    def send_bytes(self, body: bytes) -> None:
        """Send a frame in the background, as a process of its own would."""
        frame = struct.pack(">I", len(body)) + body
        threading.Thread(target=os.write, args=(self.descriptor, frame), daemon=True).start()


@pytest_asyncio.fixture(loop_scope="session")
async def ends() -> AsyncIterator[Ends]:
    """An untrusted channel."""
    ours, theirs = socket.socketpair()
    channel = await HostChannel.over(ours)
    channel.restrict(UNTRUSTED)
    with theirs:
        yield Ends(channel, ChildChannel(theirs.fileno(), UNTRUSTED), theirs)
        await channel.close()


@pytest.mark.parametrize(
    "body",
    [
        b'{"items":[' + b"{}," * (7 * MIB) + b"{}]}",
        b'{"items":[' + b"0," * (11 * MIB) + b"0]}",
        b"[" * (23 * MIB),
        b'{"items":[' + b'{"text":"a"},' * (MIB // 2) + b"{}]}",
    ],
    ids=["empty objects", "numbers", "brackets", "objects"],
)
async def test_message_of_many_values_is_refused_at_little_cost(ends: Ends, body: bytes) -> None:
    ends.send_bytes(body)
    began_s = time.process_time()
    with pytest.raises(InvalidMessageError, match=r"values, where at most 100000 are allowed"):
        await ends.host.receive(Items)
    assert time.process_time() - began_s < 5.0


async def test_message_of_many_bytes_is_refused_when_it_is_announced(ends: Ends) -> None:
    os.write(ends.descriptor, struct.pack(">I", 25 * MIB))
    with pytest.raises(InvalidMessageError, match=r"a message of 25\.0 MiB; at most 24 are read"):
        await ends.host.receive(Items)
    with pytest.raises(InvalidMessageError, match="announced"):
        await ends.host.receive(Items)


async def test_long_text_is_received(ends: Ends) -> None:
    text = "x" * (20 * MIB)
    threading.Thread(target=ends.child.send, args=(Items(text=text),), daemon=True).start()
    assert (await ends.host.receive(Items)).text == text


async def test_child_cannot_send_too_much_by_mistake(ends: Ends) -> None:
    with pytest.raises(MessageTooLargeError, match=r"a message of 25\.0 MiB is too large; at most 24 MiB can be sent"):
        ends.child.send(Items(text="x" * (25 * MIB)))
    with pytest.raises(MessageTooLargeError, match=r"values, where at most 100000 are allowed, cannot be sent"):
        ends.child.send(Items(items=(Items(),) * 60_000))
    ends.child.send(Items(text="small"))
    assert (await ends.host.receive(Items)).text == "small"


async def test_child_that_closes_its_end_breaks_the_channel_for_good(ends: Ends) -> None:
    ends.child.send(Items(text="last"))
    ends.socket.shutdown(socket.SHUT_WR)
    assert (await ends.host.receive(Items)).text == "last"
    for _ in range(2):
        with pytest.raises(ChannelBrokenError, match="has closed its channel"):
            await ends.host.receive(Items)
