"""Writes schemas, golden files and documents of the contracts: `python -m tests.contracts.regenerate`.

Git's hook runs it before each commit.

Refuses a change that would break existing readers or writers: such a change needs a new class with its own subject. To
make it anyway, delete the old snapshot by hand, where a reviewer sees it.
"""

import json
import sys
from pathlib import Path

from tests.contracts.compatibility import breaking_changes
from tests.contracts.examples import GOLDEN
from tests.contracts.generated_documents import current_documents
from tests.contracts.snapshots import SCHEMAS, current_files


def breaking(files: dict[Path, str], schemas: Path) -> list[str]:
    """Return the breaking changes between the snapshots in `schemas` and the new `files`."""
    problems: list[str] = []
    for path in sorted(schemas.glob("*.json")):
        if path in files:
            problems += breaking_changes(json.loads(path.read_text("utf-8")), json.loads(files[path]))
        else:
            problems.append(f"{path.stem} was removed")
    return problems


def main() -> int:
    """Write the files that changed; return 1 if anything was written or refused, as git hooks expect."""
    files = current_files() | current_documents()
    problems = breaking(files, SCHEMAS)
    for problem in problems:
        sys.stderr.write(f"{problem}: make a new class, or delete its file in {SCHEMAS.name}/ if that is intended\n")
    if problems:
        return 1
    stale = [path for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(files[path], "utf-8")
        sys.stderr.write(f"written: {path.parent.name}/{path.name}\n")
    orphans = set(GOLDEN.glob("*.json")) - set(files)
    for path in orphans:
        path.unlink()
        sys.stderr.write(f"removed: {path.parent.name}/{path.name}\n")
    return 1 if stale or orphans else 0


if __name__ == "__main__":
    sys.exit(main())
