"""Preconditions of confinement, and of the tests that attack it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sandbox.confinement import landlock, syscalls
from sandbox.confinement.confine import missing_features

from tests.support.confinement.attacks import ATTACKS, HARMLESS_OUTSIDE, attack_code, not_denied
from tests.support.isolated import ROOT

UNPRIVILEGED_USERFAULTFD = Path("/proc/sys/vm/unprivileged_userfaultfd")


def test_harmless_attacks_succeed_outside_of_the_sandbox(tmp_path: Path) -> None:
    for folder in ("mine", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "script.py").write_text("pass\n")
    harmless = {name: ATTACKS[name] for name in HARMLESS_OUTSIDE}
    if os.geteuid() != 0 and not int(UNPRIVILEGED_USERFAULTFD.read_text()):
        del harmless["use userfaultfd"]
    code = attack_code(harmless, ROOT, tmp_path / "other")
    ran = subprocess.run(
        (sys.executable, "-c", code), cwd=tmp_path / "mine", capture_output=True, text=True, check=True
    )
    assert not_denied(ran.stdout) == dict.fromkeys(harmless, "DONE")


def test_filter_substitutes_what_only_later_landlock_versions_govern() -> None:
    for _, names in landlock.SECCOMP_SUBSTITUTES.values():
        for name in names:
            assert name not in syscalls.ALLOWED or name == "creat"


def test_this_machine_lacks_no_feature() -> None:
    assert missing_features() == []


def test_old_kernel_is_reported_with_its_landlock_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: 1)
    (missing,) = missing_features()
    assert "Landlock ABI 1 found, 2 needed" in missing
