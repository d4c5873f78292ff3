"""The README's example."""

from tests.support.readme import run_examples


def test_readme_example_runs() -> None:
    assert run_examples("libs/documents") == 1
