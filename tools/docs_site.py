"""What mkdocs.yml adds to docs/: README as the start, messages as pages, no links that leave the site."""

import json
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
_LINK = re.compile(r"\[([^\]]*)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are written from the README and from the messages that tests have collected."""
    written = {
        "index.md": (ROOT / "README.md").read_text("utf-8").replace("](docs/", "]("),
        "troubleshooting.md": _troubleshooting(),
        "findings.md": (ROOT / "tests/cad_worker/golden/findings.md").read_text("utf-8"),
    }
    for name, text in written.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, files: Files, **_: object) -> str:
    """Leave only the text of links to the repository's other files, of which the site has none."""
    folder = posixpath.dirname(page.file.src_uri)

    def link(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, found[2]))
        return found[0] if files.get_file_from_path(target) else f"{found[1]} (`{target.removeprefix('../')}`)"

    return _LINK.sub(link, markdown)


def _troubleshooting() -> str:
    """Return what `millwright doctor` finds on broken machines and servers, by message."""
    failures = json.loads((ROOT / "tests/doctor/golden/failures.json").read_text("utf-8"))
    rows = sorted({(each["what"], each["fix"]) for each in failures.values()}, key=lambda row: row[0].lower())
    lines = [
        "# Troubleshooting",
        "`./run doctor` checks machine, servers and stored data. These are its messages, and what to do; `<…>` varies.",
        "What the judge has against a design is on a [page of its own](findings.md), an operator's day in",
        "[operations](operations.md).",
        "",
        "| message | what to do |",
        "|---|---|",
    ]
    return "\n".join([*lines, *(f"| {_cell(what)} | {_cell(fix)} |" for what, fix in rows), ""])


def _cell(text: str) -> str:
    """Return a text as a cell of a table; what varies would be taken for HTML outside of code."""
    spans = text.replace("|", "\\|").split("`")
    return "`".join(span if index % 2 else span.replace("<", "&lt;") for index, span in enumerate(spans))
