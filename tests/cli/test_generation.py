"""`millwright generate`: requests, the folder of a benchmark, the table of results."""

from pathlib import Path

import pytest
from agent.model.providers import offline_reading
from artifacts.testing import FakeArtifacts
from benchmark_generator.publication import ARCHIVE_TYPE, archive_of
from cli.runs.generation import GenerationOptions, GenerationResult, results_table, write_benchmark
from contracts.envelope import answering
from contracts.events.benchmark import BenchmarkPublished, GenerationFailed
from contracts.models.benchmark import BenchmarkFiles
from local_stack.errors import UserError
from rich.console import Console

from tests.benchmark_generator.generator_harness import CERTIFICATE, benchmark_requested
from tests.contracts.example_values import digest

FILES = BenchmarkFiles(benchmark_yaml="name: a-gap\n", environment_py="# solids\n", witness_py="# machine\n")
OPTIONS = GenerationOptions(
    task="a gap", level=3, count=2, model="offline", seed=7, worlds=2, drafts=5, at_once=1, deadline_s=60.0
)


async def published(artifacts: FakeArtifacts) -> BenchmarkPublished:
    """Return the end of a run whose archive is stored."""
    return BenchmarkPublished(
        **answering(benchmark_requested(), "benchmark-generator"),
        name="a-gap",
        title="A gap",
        level=1,
        files=await artifacts.put(archive_of(FILES), ARCHIVE_TYPE),
        digest=digest("a gap"),
        has_motion=False,
        worlds=(CERTIFICATE,),
        drafts=2,
        plan_md="# Benchmark plan\n",
    )


def test_each_request_has_a_number_and_a_run_of_its_own():
    first, second = (OPTIONS.request(number) for number in range(2))
    assert (first.brief.seed, second.brief.seed) == (7, 8)
    assert first.run_id != second.run_id
    assert (first.kind, first.brief.max_drafts, first.brief.most_worlds) == ("benchmark", 5, 8)


async def test_published_files_are_written_into_a_folder_of_its_name(tmp_path: Path):
    artifacts = FakeArtifacts()
    folder = await write_benchmark(await published(artifacts), tmp_path, artifacts)
    assert folder == tmp_path / "a-gap"
    written = {path.name: path.read_text() for path in folder.iterdir() if path.suffix in {".yaml", ".py", ".md"}}
    assert written == {
        "benchmark.yaml": FILES.benchmark_yaml,
        "environment.py": FILES.environment_py,
        "witness.py": FILES.witness_py,
        "plan.md": "# Benchmark plan\n",
    }


async def test_folder_with_other_files_is_not_overwritten(tmp_path: Path):
    (tmp_path / "a-gap").mkdir()
    (tmp_path / "a-gap" / "mine.txt").write_text("mine")
    artifacts = FakeArtifacts()
    with pytest.raises(UserError, match="a-gap"):
        await write_benchmark(await published(artifacts), tmp_path, artifacts)
    assert [path.name for path in (tmp_path / "a-gap").iterdir()] == ["mine.txt"]


def test_archives_of_equal_files_are_equal_to_the_octet():
    assert archive_of(FILES) == archive_of(FILES.model_copy())
    assert archive_of(FILES) != archive_of(FILES.model_copy(update={"witness_py": "# another\n"}))


async def test_table_shows_what_was_published_and_what_failed():
    failed = GenerationFailed(**answering(OPTIONS.request(1), "x"), reason="drafts_rejected", detail="4 drafts")
    end = await published(FakeArtifacts())
    results = [
        GenerationResult(OPTIONS.request(0), end, 61.2, Path("out/a-gap")),
        GenerationResult(OPTIONS.request(1), failed, 9.0),
    ]
    console = Console(width=160, record=True, file=None)
    with console.capture() as captured:
        console.print(results_table(results))
    lines = captured.get().splitlines()
    assert lines[1].split() == ["a-gap", "1", "no", "1", "100%", "90", "to", "90", "2", "61", "s", "out/a-gap"]
    assert "number 8: drafts_rejected" in lines[2]


def test_expert_names_what_it_reads_and_what_it_leaves_out_before_it_starts() -> None:
    reads, _, left_out = offline_reading("a gap for a cube", 2)
    assert "gap at level 2" in reads
    assert "cube" in left_out
