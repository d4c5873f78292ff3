"""The repository as the architecture tests see it."""

import ast
import subprocess
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
BENCHMARK_FILES = tuple(Path("libs/benchmarks/src/benchmarks", name) for name in ("suite", "template"))
"""Python that is data to us: it runs only inside sandboxed kernels."""
BESIDE = {"perception-server"}
"""Servers beside a deployment, on machines with a GPU: not apps of the bus, and started on their own."""


@dataclass(frozen=True)
class Source:
    """One Python file of the product."""

    path: Path
    """Relative to the repository."""
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax tree, parsed once for all rules."""
        return ast.parse(self.text)

    @property
    def package(self) -> str:
        """The import package it belongs to; empty outside of `src`, and of an example among the tests."""
        parts = self.path.parts
        return parts[parts.index("src") + 1] if "src" in parts and parts[0] != "tests" else ""


def git(*arguments: str) -> str:
    """Return the output of a command of git."""
    return subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


@cache
def known_files() -> tuple[Path, ...]:
    """Return every file that is in git, or about to be, in a folder that is; relative to the repository.

    What else lies beside these folders is the user's: README proposes to save a benchmark and a script there.
    """
    tracked, others = _listed("--cached"), _listed("--others", "--exclude-standard")
    folders = {path.parts[0] for path in tracked if len(path.parts) > 1}
    ours = (*tracked, *(path for path in others if path.parts[0] in folders))
    return tuple(path for path in ours if (ROOT / path).is_file())


def _listed(*options: str) -> list[Path]:
    listing = subprocess.run(["git", "ls-files", *options, "-z"], cwd=ROOT, capture_output=True, check=True)
    return [Path(name.decode()) for name in listing.stdout.split(b"\0") if name]


@cache
def read(path: Path) -> Source:
    """Return a file of the repository, read once for all tests."""
    return Source(path, (ROOT / path).read_text("utf-8"))


@cache
def python_files() -> tuple[Source, ...]:
    """Return all Python, tests included."""
    return tuple(read(path) for path in known_files() if path.suffix == ".py")


@cache
def product_sources() -> tuple[Source, ...]:
    """Return the Python of libs, services and apps."""
    return tuple(
        source
        for source in python_files()
        if source.package and not any(source.path.is_relative_to(folder) for folder in BENCHMARK_FILES)
    )


@cache
def packages() -> dict[str, Path]:
    """Return the folder of each import package, relative to the repository."""
    folders = [folder for group in ("libs", "services", "apps") for folder in (ROOT / group).glob("*/src/*")]
    return {folder.name: folder.relative_to(ROOT) for folder in folders if (folder / "__init__.py").exists()}


def services() -> list[Path]:
    """Return the folder of each service of a deployment, relative to the repository."""
    folders = (path for path in (ROOT / "services").iterdir() if (path / "pyproject.toml").exists())
    return sorted(path.relative_to(ROOT) for path in folders if path.name not in BESIDE)
