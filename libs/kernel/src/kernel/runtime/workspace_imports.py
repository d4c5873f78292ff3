"""Importing the agent's own modules: read, checked, and always as the file now stands."""

import importlib
import importlib.abc
import importlib.util
import linecache
import random
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import numpy

from kernel.checker.checker import violations
from kernel.checker.violation import RefusedCodeError

Snapshot = dict[str, tuple[int, int, int]]


class WorkspaceImports(importlib.abc.MetaPathFinder):
    """Finds `name.py` at the top of the workspace. Such a module knows the same names as a cell."""

    def __init__(self, workspace: Path, world: Mapping[str, object]) -> None:
        self._workspace = workspace
        self._world = world
        self._seen: Snapshot = {}
        # a file named numpy.py must not take the place of the real one, nor utils.py that of the tools
        self._reserved = frozenset(sys.modules) | sys.stdlib_module_names | {"utils"}

    def install(self) -> None:
        """Let workspace modules be imported before all others, and packages after all others.

        `utils` is ours: what lies in the workspace under that name is there to be read, and may have been moved.
        """
        sys.meta_path.insert(0, self)
        sys.path += [str(Path(__file__).parents[1] / "baked"), str(self._workspace)]

    def renew(self) -> frozenset[str]:
        """Forget imported workspace modules if any file has changed; return the names of those there are."""
        now = self._snapshot()
        if now != self._seen:
            for name in self._seen | now:
                sys.modules.pop(name, None)
                linecache.cache.pop(str(self._workspace / f"{name}.py"), None)
            importlib.invalidate_caches()
            self._seen = now
        return frozenset(now)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a top-level module in the workspace."""
        if path is not None or fullname not in self._snapshot():
            return None
        file = self._workspace / f"{fullname}.py"
        return importlib.util.spec_from_file_location(fullname, file, loader=WorkspaceLoader(file, self._world, self))

    def names(self) -> frozenset[str]:
        """Return the modules that the workspace has now."""
        return frozenset(self._snapshot())

    def _snapshot(self) -> Snapshot:
        found: Snapshot = {}
        for file in self._workspace.glob("*.py"):
            if file.stem not in self._reserved:
                state = file.stat()
                found[file.stem] = (state.st_mtime_ns, state.st_size, state.st_ino)
        return found


class WorkspaceLoader(importlib.abc.Loader):
    """Runs one file as a module, with fixed random numbers so that it builds the same thing everywhere."""

    def __init__(self, file: Path, world: Mapping[str, object], imports: WorkspaceImports) -> None:
        self._file = file
        self._world = world
        self._imports = imports

    def exec_module(self, module: ModuleType) -> None:
        """Check the file and run it; raise `RefusedCodeError` when it is not allowed."""
        code = self._file.read_text(encoding="utf-8")
        if found := violations(code, self._imports.names()):
            raise RefusedCodeError(found, where=self._file.name)
        module.__dict__.update(self._world)
        random.seed(0)
        numpy.random.seed(0)
        exec(compile(code, str(self._file), "exec"), module.__dict__)  # noqa: S102 - a kernel runs modules
