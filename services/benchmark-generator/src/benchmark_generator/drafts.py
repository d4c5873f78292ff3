"""Drafts: the files that a cell has submitted, read and checked as far as that needs no sandbox."""

import asyncio
import json
from hashlib import sha256

from artifacts.port import ArtifactStore
from benchmarks.author_texts import read_texts, variants_of
from benchmarks.loader import CODE_TYPE, FILE, BenchmarkError, read_file
from contracts.events.benchmark import BenchmarkBrief, Draft
from contracts.models.benchmark import BenchmarkFiles

_LABELS = {"name", "title", "description"}


async def draft_of(files: BenchmarkFiles, brief: BenchmarkBrief, artifacts: ArtifactStore) -> Draft:
    """Return the draft, whose environment.py is stored as an artifact; raise `BenchmarkError`."""
    draft = await asyncio.to_thread(_read, files, brief)
    await artifacts.put(files.environment_py.encode(), CODE_TYPE)
    return draft


def digest_of(draft: Draft) -> str:
    """Return a digest of what makes the benchmark, without name and description."""
    content = read_file(draft.files.benchmark_yaml.encode(), FILE).model_dump(mode="json", exclude=_LABELS)
    return sha256(json.dumps([content, draft.files.environment_py], sort_keys=True).encode()).hexdigest()


def faults_markdown(error: BenchmarkError) -> str:
    """Return the faults of a file, one item each."""
    return "\n".join(f"- {error.where}: {fault}" for fault in error.faults)


def _read(files: BenchmarkFiles, brief: BenchmarkBrief) -> Draft:
    """Return the draft with its worlds under the first seeds; raise `BenchmarkError`."""
    file = read_texts(files, brief.level)
    variants = variants_of(files, file, range(brief.most_worlds))
    return Draft(name=file.name, title=file.title, files=files, variants=variants, limits=file.limits)
