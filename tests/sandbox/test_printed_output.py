"""Text of a child within bounds, however much it prints."""

import os
from pathlib import Path

import pytest
from sandbox.channels.printed_output import BoundedText, PrintedOutput
from sandbox.host import SandboxHost
from sandbox.jobs import JOB_ENTRY_POINT, JobOrder

from tests.sandbox.untrusted_code import RUN_CODE, Code


def test_bounded_text_keeps_a_short_text_whole() -> None:
    text = BoundedText(4, 4)
    for piece in ("ab", "cde", "fgh"):
        text.add(piece)
    assert (text.text(), text.missing_chars) == ("abcdefgh", 0)


def test_bounded_text_keeps_head_tail_and_length_of_a_long_text() -> None:
    text = BoundedText(3, 5)
    for number in range(1000):
        text.add(f"{number:04d}")
    assert text.text() == "000\n… (3992 characters left out) …\n80999"
    assert text.chars == 4000


async def test_printed_output_replaces_undecodable_bytes_and_nul() -> None:
    read, write = os.pipe()
    printed = PrintedOutput(read)
    os.write(write, b"dropped")
    printed.reset()
    os.write(write, b"a\xffb\x00\xed\xa0\x80c \xc3")
    os.write(write, b"\xa9")
    assert printed.shown() == ("a\ufffdb\ufffd\ufffd\ufffd\ufffdc é", 10)
    assert printed.full_text() is None
    os.close(write)
    printed.close()


@pytest.mark.asyncio(loop_scope="session")
async def test_printed_output_of_200_mb_needs_little_memory(host: SandboxHost) -> None:
    before_mib = _own_memory_mib()
    workspace = host.new_workspace()
    child = await host.fork(JOB_ENTRY_POINT, workspace, cpu_s=60)
    code = (
        "import os\nos.write(1, b'first\\n')\nfor _ in range(200):\n    os.write(1, b'x' * 1_000_000)\n"
        "os.write(1, b'last\\n')"
    )
    await child.channel.send(JobOrder(function=RUN_CODE.function, request_json=Code(text=code).model_dump_json()))
    await child.exited
    text, chars = child.printed.shown()
    await child.close()
    workspace.remove()
    assert _own_memory_mib() - before_mib < 50
    assert (text[:6], text[-5:], chars) == ("first\n", "last\n", 200_000_011)
    assert len(text) < 13_000


def _own_memory_mib() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024
