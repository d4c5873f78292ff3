"""Loads benchmarks: folders with a `benchmark.yaml`, perhaps files of more levels, and one `environment.py` for all."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import cast

import yaml
from artifacts.port import reference
from contracts.extensions import ExtensionError, extensions, load_extension
from contracts.models.benchmark import Limits, Variant
from contracts.settings import COMMAND
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from benchmarks.benchmark_file import NO_PAYLOAD, BenchmarkFile
from benchmarks.consistency import faults_of
from benchmarks.regular_file import read_regular_file
from benchmarks.variant import NoValidWorldError, make_variant

SUITE = Path(__file__).parent / "suite"
"""The built-in benchmarks, a folder for each family."""
TEMPLATE = Path(__file__).parent / "template"
"""The files of a new benchmark, with NAME in place of its name."""
BASELINE = TEMPLATE / "baselines" / "straight_chute.py"
"""Code that is appended to an environment.py: a machine that needs no engineering."""
FILE = "benchmark.yaml"
LEVELS = "level-*.yaml"
"""More benchmarks of a folder; `level-3.yaml` of the folder `detour` is the built-in benchmark `detour-3`."""
CODE = "environment.py"
WITNESS = "witness.py"
"""The author's own solution; a run never reads it."""
SHARED_WITNESS = SUITE / "chutes.py"
"""What witnesses of the suite have in common."""
INCLUDE = f"# include: {SHARED_WITNESS.name}\n"
"""The line of a witness in whose place that text comes: a witness is one script."""
CODE_TYPE = "text/x-python"
MAX_FIELDS_BYTES = 100_000
"""Of a benchmark.yaml: it takes more than a second to read."""


class BenchmarkError(ValueError):
    """A benchmark's files are invalid. The message is one line with file, and field, value and fix of each fault."""

    def __init__(self, where: str, *faults: str) -> None:
        numbered = "; ".join(f"({number}) {fault}" for number, fault in enumerate(faults, start=1))
        super().__init__(
            f"{where}: {faults[0]}" if len(faults) == 1 else f"{where} has {len(faults)} faults: {numbered}"
        )
        self.where = where
        """The file or folder."""
        self.faults = faults
        """All of them, in one sentence each."""


class BenchmarkTooLargeError(BenchmarkError):
    """An archive has more bytes or more files than a benchmark may have."""


@dataclass(frozen=True)
class LoadedBenchmark:
    """One variant of a benchmark, and the code of its environment."""

    variant: Variant
    file: BenchmarkFile
    """The content of benchmark.yaml, including its limits before scaling."""
    environment_code: bytes
    """Must be stored as an artifact before an event names it."""

    @property
    def limits(self) -> Limits:
        """The limits of this variant."""
        return self.file.limits.scaled(self.variant.limits_factor)


def load(name_or_path: str, seed: int) -> LoadedBenchmark:
    """Return a benchmark under a seed; raise `BenchmarkError` if it is unknown or invalid."""
    path = file_of(name_or_path)
    return _variant_of(read_file(_read(path), str(path)), _read(path.with_name(CODE)), seed, str(path))


def load_files(files: Mapping[str, bytes], seed: int, where: str) -> LoadedBenchmark:
    """Return a benchmark of the files of its folder, as `load` does; `where` names them in errors."""
    return _variant_of(read_file(files[FILE], f"{FILE} in {where}"), files[CODE], seed, where)


def _variant_of(file: BenchmarkFile, code: bytes, seed: int, where: str) -> LoadedBenchmark:
    try:
        variant = make_variant(file, seed, reference(code, CODE_TYPE))
    except NoValidWorldError as error:
        raise BenchmarkError(where, str(error)) from error
    return LoadedBenchmark(variant, file, code)


def read_witness(file: Path) -> str:
    """Return the witness beside a benchmark's file as one script; raise `BenchmarkError` if it cannot be read."""
    witness = file.with_name(WITNESS)
    try:
        text = read_regular_file(witness).decode("utf-8")
        return text.replace(INCLUDE, SHARED_WITNESS.read_text(encoding="utf-8")) if INCLUDE in text else text
    except (OSError, UnicodeDecodeError) as error:
        remedy = f"write a {WITNESS} that binds `assembly`; see `{COMMAND} benchmark new`"
        cause = error.strerror if isinstance(error, OSError) else error
        raise BenchmarkError(str(witness), f"it cannot be read: {cause}; {remedy}") from error


def built_in() -> list[str]:
    """Return the names of the built-in benchmarks."""
    return sorted(_files_below(SUITE))


def suite(name: str) -> list[str]:
    """Return the names of the benchmarks of a suite, `suite` or that of another package; empty if there is none."""
    if name == SUITE.name:
        return built_in()
    return sorted(_package_files(name)) if name in extensions("millwright.benchmarks") else []


def known() -> list[str]:
    """Return the names of the built-in benchmarks and those of other packages."""
    return sorted(_known_files())


def file_of(name_or_path: str) -> Path:
    """Return the benchmark.yaml, or the file of another level; raise `BenchmarkError` if there is none."""
    files = _known_files()
    if name_or_path in files:
        return files[name_or_path]
    path = Path(name_or_path)
    if path.name == FILE or path.match(LEVELS):
        return path
    if not path.is_dir():
        names = ", ".join(sorted(files)) or "none"
        remedy = f"name a folder that contains {FILE}, or a known benchmark ({names})"
        raise BenchmarkError(f"unknown benchmark {name_or_path!r}", remedy)
    return path / FILE


def _known_files() -> dict[str, Path]:
    packages = [_package_files(name) for name in extensions("millwright.benchmarks")]
    return {name: path for files in (*packages, _files_below(SUITE)) for name, path in files.items()}


def _package_files(suite_name: str) -> dict[str, Path]:
    """Return the benchmarks of a package's suite: their names begin with that of the suite."""
    point = extensions("millwright.benchmarks")[suite_name]
    package = load_extension(point)
    folders = [Path(each) for each in getattr(package, "__path__", ())]
    files = {f"{suite_name}-{name}": path for folder in folders for name, path in _files_below(folder).items()}
    if not files:
        raise ExtensionError(point, f"no folder below it has a {FILE}")
    return files


def _files_below(folder: Path) -> dict[str, Path]:
    files = {path.parent.name: path for path in folder.glob(f"*/{FILE}")}
    levels = {f"{path.parent.name}-{path.stem.removeprefix('level-')}": path for path in folder.glob(f"*/{LEVELS}")}
    return {**files, **levels}


def _read(path: Path) -> bytes:
    try:
        return read_regular_file(path)
    except OSError as error:
        raise BenchmarkError(str(path), f"it cannot be read: {error.strerror}") from error


@lru_cache(maxsize=64)  # a trial or an evaluation reads the same file for each of its seeds
def read_file(text: bytes, where: str) -> BenchmarkFile:
    """Return the content of a benchmark.yaml; raise `BenchmarkError` with all of its faults. `where` names the file."""
    if len(text) > MAX_FIELDS_BYTES:
        raise BenchmarkTooLargeError(where, f"it has {len(text)} bytes, more than {MAX_FIELDS_BYTES}; shorten it")
    fields = yaml_fields(text, where, allows_aliases=False)
    try:
        file = BenchmarkFile.model_validate(fields)
    except ValidationError as error:
        found = field_faults(error, fields)
        if NO_PAYLOAD not in found and fields.keys().isdisjoint({"payload", "payloads"}):
            found.insert(0, NO_PAYLOAD)  # pydantic looks at one of the two only if all fields are sound
        raise BenchmarkError(where, *found) from error
    if faults := faults_of(file):
        raise BenchmarkError(where, *faults)
    return file


def yaml_fields(text: bytes, where: str, *, allows_aliases: bool = True) -> Mapping[str, object]:
    """Return the named fields of a YAML file, none of which occurs twice; raise `BenchmarkError`.

    By aliases a short text becomes a content without a limit: a file that a model wrote must have none.
    """
    try:
        content: object = yaml.load(text, _StrictLoader if allows_aliases else _PlainLoader)  # noqa: S506 - safe loaders
    except RecursionError as error:
        raise BenchmarkError(where, "it is nested too deeply; a benchmark needs four levels") from error
    except (yaml.YAMLError, ValueError) as error:  # PyYAML raises ValueError for impossible dates
        raise BenchmarkError(where, f"it is not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, Mapping):
        fault = f"it must contain named fields such as `name:` and `goal_zone:`, but is {_shown(content)}"
        raise BenchmarkError(where, fault)
    return cast("Mapping[str, object]", content)


class _StrictLoader(yaml.SafeLoader):
    """YAML in which no field occurs twice: the first one would silently be without effect."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:
        keys = [key for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        counts = Counter(key.value for key in keys)
        for key in keys:
            if counts[key.value] > 1:
                line = int(key.start_mark.line) + 1
                raise yaml.YAMLError(f"line {line}: the field {key.value} occurs twice; remove one of them")
        return super().construct_mapping(node, deep)


class _PlainLoader(_StrictLoader):
    """The same without aliases."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):  # pyright: ignore[reportUnknownMemberType] - open in PyYAML's stubs
            raise yaml.YAMLError("it has an alias (`*name`); write everything out")
        return super().compose_node(parent, index)


def field_faults(error: ValidationError, content: Mapping[str, object]) -> list[str]:
    """Return one sentence for each invalid field of the content of a file: its path, what is wrong, and its value."""
    details = error.errors(include_url=False, include_context=False)
    return [": ".join(filter(None, (_field(detail, content), _message(detail)))) for detail in details]


def _message(detail: ErrorDetails) -> str:
    match detail["type"]:
        case "missing":
            return "this field is missing; add it"
        case "extra_forbidden":
            return "this field is unknown; correct its name or remove it"
        case "value_error":
            return detail["msg"].removeprefix("Value error, ")
        case "model_type" | "model_attributes_type" | "dict_type":
            return f"it must have fields of its own, but it is {_shown(detail['input'])}"
        case "tuple_type" | "list_type":
            return f"it must be a list, but it is {_shown(detail['input'])}"
        case _:
            return f"{detail['msg']}, but it is {_shown(detail['input'])}"


def _shown(value: object) -> str:
    if value is None:
        return "empty"
    return repr(value) if isinstance(value, str | int | float) else f"a {type(value).__name__}"


def _field(detail: ErrorDetails, content: Mapping[str, object]) -> str:
    """Return the path of the invalid field, with the labels of zones."""
    path: list[str] = []
    value: object = content
    for step in detail["loc"]:
        value = _item(value, step)
        label = _item(value, "label")
        path.append(f"{step} ({label})" if isinstance(step, int) and label else str(step))
    return ".".join(path)


def _item(container: object, key: str | int) -> object:
    if isinstance(container, Mapping):
        return cast("Mapping[object, object]", container).get(key)
    if isinstance(container, Sequence) and isinstance(key, int) and key < len(cast("Sequence[object]", container)):
        return cast("Sequence[object]", container)[key]
    return None
