"""A client that says one thing and may die of it: `python -m perf.mortality.asking FOLDER FILE`.

The file holds the event and is called as its subject.
"""

import asyncio
import sys
from pathlib import Path

from chassis.app import App
from chassis.settings import BusSettings
from contracts.envelope import Event
from contracts.registry import parse

from perf.mortality.mortal import make_mortal


async def _say(event: Event) -> None:
    app = App("cli", BusSettings())
    await app.start()
    await app.bus.publish(event)
    await app.stop()


if __name__ == "__main__":
    fates, file = Path(sys.argv[1]), Path(sys.argv[2])
    make_mortal("cli", fates)
    asyncio.run(_say(parse(file.stem, file.read_bytes())))
