"""Who types `millwright solve`, and reads what it prints."""

import asyncio
import os
import re
import sys
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

RUN = re.compile(r"\brun ([0-9a-f-]{36})")


@dataclass
class Line:
    """What was printed, and when."""

    at_s: float
    """On the monotonic clock."""
    text: str


@dataclass
class User:
    """One command under way."""

    process: asyncio.subprocess.Process
    lines: list[Line] = field(default_factory=list[Line])
    run_id: asyncio.Future[UUID] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    async def read(self) -> None:
        """Note line by line until the command has closed its mouth."""
        assert self.process.stdout is not None
        async for raw in self.process.stdout:
            text = raw.decode(errors="replace").rstrip()
            self.lines.append(Line(time.monotonic(), text))
            if not self.run_id.done() and (found := RUN.search(text)):
                self.run_id.set_result(UUID(found[1]))
        if not self.run_id.done():
            self.run_id.set_exception(RuntimeError(f"no run was begun: {self.said()}"))

    def said(self) -> str:
        """Return all that was printed."""
        return "\n".join(line.text for line in self.lines)

    def told(self, from_s: float, to_s: float) -> list[Line]:
        """Return what was printed within this time."""
        return [line for line in self.lines if line.text.strip() and from_s <= line.at_s <= to_s]


@asynccontextmanager
async def typing(folder: Path, environment: Mapping[str, str], *words: str) -> AsyncGenerator[User]:
    """Run `millwright` with these words, its data in a new `folder`; it is gone when the block ends."""
    await asyncio.to_thread(folder.mkdir)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "cli", *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=folder,
        env={**os.environ, **environment, "MILLWRIGHT_DATA": str(folder / "data"), "PYTHONUNBUFFERED": "1"},
    )
    user = User(process)
    reading = asyncio.create_task(user.read())
    try:
        yield user
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await reading
