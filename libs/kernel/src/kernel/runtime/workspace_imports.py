"""Imports of the agent's own modules: checked before they run, and loaded again when a file has changed."""

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
from kernel.checker.rules import RefusedCodeError

_FileStates = dict[str, tuple[int, int, int]]
"""Modification time in ns, size and inode of each module's file."""


class WorkspaceImports(importlib.abc.MetaPathFinder):
    """Finds `name.py` at the top of the workspace. Such a module has the same predefined names as a cell."""

    def __init__(self, workspace: Path, predefined: Mapping[str, object]) -> None:
        self._workspace = workspace
        self._predefined = predefined
        self._last_states: _FileStates = {}
        # a file named numpy.py must not shadow the library, nor utils.py the kernel's API
        self._reserved = frozenset(sys.modules) | sys.stdlib_module_names | {"utils"}

    def install(self) -> None:
        """Let workspace modules precede all other modules, and workspace packages follow all others.

        `utils` is the kernel's own: its copy in the workspace is there for reading only, and may be missing.
        """
        sys.meta_path.insert(0, self)
        sys.path += [str(Path(__file__).parents[1] / "baked"), str(self._workspace)]

    def forget_changed(self) -> frozenset[str]:
        """Unload workspace modules if any file has changed; return the names of all workspace modules."""
        states = self._file_states()
        if states != self._last_states:
            for name in self._last_states | states:
                sys.modules.pop(name, None)
                linecache.cache.pop(str(self._workspace / f"{name}.py"), None)
            importlib.invalidate_caches()
            self._last_states = states
        return frozenset(states)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a top-level module in the workspace."""
        if path is not None or fullname not in self._file_states():
            return None
        file = self._workspace / f"{fullname}.py"
        loader = WorkspaceLoader(file, self._predefined, self)
        return importlib.util.spec_from_file_location(fullname, file, loader=loader)

    def names(self) -> frozenset[str]:
        """Return the names of the modules that the workspace has now."""
        return frozenset(self._file_states())

    def _file_states(self) -> _FileStates:
        found: _FileStates = {}
        for file in self._workspace.glob("*.py"):
            if file.stem not in self._reserved:
                state = file.stat()
                found[file.stem] = (state.st_mtime_ns, state.st_size, state.st_ino)
        return found


class WorkspaceLoader(importlib.abc.Loader):
    """Runs one file as a module, with fixed random seeds so that it builds the same everywhere."""

    def __init__(self, file: Path, predefined: Mapping[str, object], imports: WorkspaceImports) -> None:
        self._file = file
        self._predefined = predefined
        self._imports = imports

    def exec_module(self, module: ModuleType) -> None:
        """Check the file and run it; raise `RefusedCodeError` if it violates a rule."""
        code = self._file.read_text(encoding="utf-8")
        if found := violations(code, self._imports.names()):
            raise RefusedCodeError(found, where=self._file.name)
        module.__dict__.update(self._predefined)
        random.seed(0)
        numpy.random.seed(0)
        exec(compile(code, str(self._file), "exec"), module.__dict__)  # noqa: S102 - a kernel runs modules
