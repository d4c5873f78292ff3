"""Drafts: the files that a model wrote, read and checked as far as that needs no sandbox."""

import asyncio
import json
from hashlib import sha256

from artifacts.port import ArtifactStore, reference
from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.loader import CODE, CODE_TYPE, FILE, WITNESS, BenchmarkError, read_file
from benchmarks.variant import NoValidWorldError, make_variant
from contracts.events.benchmark import BenchmarkBrief, BenchmarkFiles, Draft
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Variant

FIELDS = {FILE: "benchmark_yaml", CODE: "environment_py", WITNESS: "witness_py"}
"""The field of `BenchmarkFiles` for each file."""
MAX_CHARS = 40_000
"""Of one file."""
_LABELS = {"name", "title", "description"}


class DraftError(ValueError):
    """The files cannot be submitted. The message lists all faults, worded for the model."""

    def __init__(self, *faults: str) -> None:
        super().__init__("\n".join(f"- {fault}" for fault in faults))


async def draft_of(files: BenchmarkFiles, brief: BenchmarkBrief, artifacts: ArtifactStore) -> Draft:
    """Return the draft, whose environment.py is stored as an artifact; raise `DraftError`."""
    for path, field in FIELDS.items():
        text = str(getattr(files, field))
        if not text.strip():
            raise DraftError(f"{path} is missing: write it")
        if len(text) > MAX_CHARS:
            raise DraftError(f"{path} has {len(text)} characters, at most {MAX_CHARS} are possible: shorten it")
    code = files.environment_py.encode()
    file, variants = await asyncio.to_thread(_read, files, brief, reference(code, CODE_TYPE))
    await artifacts.put(code, CODE_TYPE)
    return Draft(name=file.name, title=file.title, files=files, variants=variants, limits=file.limits)


def digest_of(draft: Draft) -> str:
    """Return a digest of what makes the benchmark, without name and description."""
    content = read_file(draft.files.benchmark_yaml.encode(), FILE).model_dump(mode="json", exclude=_LABELS)
    return sha256(json.dumps([content, draft.files.environment_py], sort_keys=True).encode()).hexdigest()


def _read(files: BenchmarkFiles, brief: BenchmarkBrief, code: ArtifactRef) -> tuple[BenchmarkFile, tuple[Variant, ...]]:
    """Return the file and its worlds under the first seeds; raise `DraftError`."""
    try:
        file = read_file(files.benchmark_yaml.encode(), FILE)
    except BenchmarkError as error:
        raise DraftError(*(f"{FILE}: {fault}" for fault in error.faults)) from error
    if file.level != brief.level:
        raise DraftError(f"{FILE}: level is {file.level}, ordered was {brief.level}; correct level, and what it means")
    try:
        return file, tuple(make_variant(file, seed, code) for seed in range(brief.most_worlds))
    except NoValidWorldError as error:
        raise DraftError(f"{FILE}: {error}") from error
