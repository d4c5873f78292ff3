"""The benchmarks that clients may name: the known ones, and folders that the operator gives."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.loader import LoadedBenchmark, file_of, known, load, read_file

from mcp_server.errors import ClientError


class BenchmarkFolders:
    """Loads benchmarks by name: a client of the network never names a path."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        """Read the operator's benchmarks; raise `BenchmarkError`."""
        self._paths = {name: name for name in known()}
        self._paths |= {self._read(str(folder)).name: str(folder) for folder in folders}

    def load(self, name: str, seed: int) -> LoadedBenchmark:
        """Return a benchmark under a seed; raise `ClientError` for an unknown name and `BenchmarkError`."""
        if name not in self._paths:
            similar = get_close_matches(name, self._paths, 3) or sorted(self._paths)[:5]
            raise ClientError(f"there is no benchmark {name!r}: try {', '.join(similar)}; list_benchmarks lists all")
        return load(self._paths[name], seed)

    def files(self) -> Iterator[BenchmarkFile]:
        """Yield the content of each benchmark.yaml."""
        for path in self._paths.values():
            yield self._read(path)

    @staticmethod
    def _read(path: str) -> BenchmarkFile:
        file = file_of(path)
        return read_file(file.read_bytes(), str(file))
