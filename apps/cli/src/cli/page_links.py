"""Where the pages of a stack are, and a browser that shows them."""

import webbrowser
from pathlib import Path

from local_stack.gateway_access import sign_in_file
from rich.console import Console
from rich.text import Text

RUNS = "/pages/runs"


def print_pages(console: Console, data: Path, url: str, path: str = RUNS) -> Path | None:
    """Print the address of a page, and the file that signs a browser in; return that file."""
    file = sign_in_file(data, url, path)
    hint = "" if file is None else f"; signed in by opening {file}"
    console.print(Text(f"pages at {url}{path}{hint}"), soft_wrap=True)
    return file


def open_pages(console: Console, data: Path, url: str, path: str) -> None:
    """Print the address of a page, and open it in a browser if there is one."""
    file = print_pages(console, data, url, path)
    webbrowser.open(f"{url}{path}" if file is None else file.resolve().as_uri())
