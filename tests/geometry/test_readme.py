"""The example of the library's README, in an environment that holds only the library."""

from tests.support.isolated import ROOT, printed_outputs, python_examples, run_isolated

README = ROOT / "libs" / "geometry" / "README.md"


def test_readme_example_prints_the_shown_output() -> None:
    printed = [run_isolated(example, "geometry", timeout_s=400) for example in python_examples(README)]
    assert printed == printed_outputs(README)
