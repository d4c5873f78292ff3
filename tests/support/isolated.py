"""Virtual environments that hold one library of the repository, its dependencies and nothing else."""

import os
import re
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / ".millwright"
_BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_environments: list[TemporaryDirectory[str]] = []
"""Each removes itself when this process ends."""


@cache
def isolated_python(*distributions: str) -> Path:
    """Return the interpreter of a new environment, which all tests of this process share.

    It holds these distributions of the workspace, built from the sources of now, and their dependencies at the versions
    of uv.lock. uv takes what it has cached, so no index is asked for what the set-up has installed.
    """
    folder = TemporaryDirectory(prefix="isolated-", dir=TOOLS)
    _environments.append(folder)
    chosen = [f"--package={name}" for name in distributions]
    rebuilt = [f"--refresh-package={library.name}" for library in (ROOT / "libs").iterdir()]
    command = [TOOLS / "uv" / "bin" / "uv", "sync", "--frozen", "--no-dev", "--no-editable", "--quiet"]
    environment = os.environ | {"UV_PROJECT_ENVIRONMENT": folder.name, "UV_PYTHON_DOWNLOADS": "never"}
    subprocess.run([*command, *chosen, *rebuilt, "--python", sys.executable], cwd=ROOT, env=environment, check=True)
    _share_bytecode(Path(folder.name))
    return Path(folder.name) / "bin" / "python"


def _share_bytecode(environment: Path) -> None:
    """Give packages what this interpreter compiled of the same sources: to compile them again takes 5 s of CPU."""
    own = Path(sysconfig.get_path("purelib"))
    other = Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))
    for package in other.iterdir():
        for compiled in (own / package.name).rglob("__pycache__"):
            link = other / compiled.relative_to(own)
            if link.parent.is_dir() and not link.exists():
                link.symlink_to(compiled)


def python_examples(readme: Path) -> list[str]:
    """Return the Python code blocks of a Markdown file, in order."""
    return _blocks(readme, "python")


def printed_outputs(readme: Path) -> list[str]:
    """Return the text blocks of a Markdown file, in order: by convention the output of its examples."""
    return _blocks(readme, "text")


def _blocks(readme: Path, language: str) -> list[str]:
    return [found["text"] for found in _BLOCK.finditer(readme.read_text("utf-8")) if found["language"] == language]


def run_isolated(code: str, *distributions: str, timeout_s: float = 120) -> str:
    """Run a program in an environment that holds only these distributions, and return what it prints.

    Raises `CalledProcessError` when the program fails; the test then shows its standard error.
    """
    with TemporaryDirectory() as folder:  # a program in a file, as a reader would run it: some start themselves again
        script = Path(folder) / "example.py"
        script.write_text(code, "utf-8")
        command = [isolated_python(*distributions), "-I", script]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, timeout=timeout_s, check=True)
    return done.stdout
