"""`millwright doctor`."""

from rich.console import Console
from rich.text import Text

from cli.examining import examine
from cli.running import CANNOT_GO_ON, OK, run
from cli.screen import MARKS, screen
from cli.settings import Surroundings, read_surroundings


def doctor() -> None:
    """Check all that a run needs of this machine, each with its mend."""
    run(_doctor(read_surroundings(), screen()))


async def _doctor(surroundings: Surroundings, console: Console) -> int:
    healthy = True
    async for name, problem in examine(surroundings):
        mark, style = MARKS["bad" if problem else "good"]
        console.print(Text.assemble((f"{mark} ", style), f"{name:<18} ", (problem or "", style)), soft_wrap=True)
        healthy = healthy and problem is None
    return OK if healthy else CANNOT_GO_ON
