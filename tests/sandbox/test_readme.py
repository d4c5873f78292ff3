"""The example of the library's README, in an environment that holds only the library."""

from tests.support.isolated import ROOT, python_examples, run_isolated


def test_readme_example_runs_code_and_denies_files_network_and_processes() -> None:
    (example,) = python_examples(ROOT / "libs" / "sandbox" / "README.md")
    lines = run_isolated(example, "sandbox").splitlines()
    assert lines[0] == "42"
    assert lines[1].startswith("PermissionError: [Errno 13] Permission denied: '/etc/passwd'")
    assert lines[2:] == ["PermissionError: [Errno 1] Operation not permitted"] * 2


def test_self_test_passes_in_an_environment_with_the_library_alone() -> None:
    assert (
        run_isolated("import runpy; runpy.run_module('sandbox.confinement.self_test', run_name='__main__')", "sandbox")
        == ""
    )
