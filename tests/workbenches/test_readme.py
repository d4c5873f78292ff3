"""The examples of the library's README, in an environment without the rest of the repository."""

from tests.support.isolated import ROOT, printed_outputs, python_examples, run_isolated


def test_readme_example_prints_the_shown_output() -> None:
    readme = ROOT / "libs" / "workbenches" / "README.md"
    printed = [run_isolated(example, "workbenches", timeout_s=400) for example in python_examples(readme)]
    assert printed == printed_outputs(readme)
