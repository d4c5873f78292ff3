"""Where the pages of a stack are, and a browser that shows them."""

import webbrowser
from pathlib import Path
from uuid import UUID

from contracts.settings import COMMAND
from local_stack.gateway_access import sign_in_file
from rich.console import Console
from rich.text import Text

RUNS = "/pages/runs"


def print_pages(console: Console, data: Path, url: str, path: str = RUNS) -> Path | None:
    """Print the address of a page, and the file that signs a browser in; return that file."""
    file = sign_in_file(data, url, path)
    hint = "" if file is None else f"; to be signed in, open {file}"
    console.print(Text(f"pages at {url}{path}{hint}"), soft_wrap=True)
    return file


def show_run(console: Console, data: Path, url: str | None, run_id: UUID) -> None:
    """Print the address of a run's page, and open it in a browser if there is one; `url` None: of another stack."""
    if url is None:
        console.print(Text(f"its page: {RUNS}/{run_id} of the running `{COMMAND} up`"), soft_wrap=True)
        return
    file = print_pages(console, data, url, f"{RUNS}/{run_id}")
    webbrowser.open(f"{url}{RUNS}/{run_id}" if file is None else file.resolve().as_uri())
