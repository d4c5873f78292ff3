"""Programs that are confined before their first instruction."""

import asyncio
import os
import subprocess
from pathlib import Path

from sandbox.confinement.program import command_for

ATTACKS = {
    "read a file": ": </etc/passwd",
    "write a file": ": >/tmp/millwright-escaped",
    "list a folder": "for each in /etc/*; do [ -f $each ] && echo leaked; done; : </etc",
    "run a program": "/bin/true",
    "become another program": "exec /bin/true",
    "fork": "(:)",
}


async def output_of(program: str, *arguments: str, text: str = "") -> tuple[str, str]:
    """Return what a confined program printed, and its errors."""
    process = await asyncio.create_subprocess_exec(
        *command_for(Path(program), arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={},
        cwd="/",
    )
    output, errors = await process.communicate(text.encode())
    return output.decode(), errors.decode()


def status_of(pid: int) -> dict[str, str]:
    """Return what the kernel says about a process."""
    return dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())


async def test_confined_program_reads_its_input_and_prints() -> None:
    assert await output_of("/bin/sh", "-c", "read line; echo got $line", text="a text\n") == ("got a text\n", "")


async def test_confined_program_is_denied_every_attack() -> None:
    for name, attack in ATTACKS.items():
        output, errors = await output_of("/bin/sh", "-c", f"{attack}\necho $?")
        assert "leaked" not in output, name
        assert "denied" in errors or "not permitted" in errors or "fork" in errors, (name, output, errors)


async def test_confined_program_has_no_privileges_and_dies_with_its_input() -> None:
    process = await asyncio.create_subprocess_exec(
        *command_for(Path("/bin/sh"), ["-c", "echo begun; read line"]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={},
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"begun\n"
    status = status_of(process.pid)
    assert (status["NoNewPrivs"], status["Seccomp"], int(status["CapEff"], 16)) == ("1", "2", 0)
    assert os.geteuid() != 0 or status["Uid"].split()[0] != "0"
    process.kill()
    await process.wait()
