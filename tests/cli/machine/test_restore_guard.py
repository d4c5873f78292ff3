"""A backup is restored only while nothing else uses the database."""

import os
from pathlib import Path

from local_stack.data_folder import acquire_lock

from tests.cli.conftest import RunCommand


def test_restore_beside_a_running_stack_is_refused(tmp_path: Path, run_command: RunCommand) -> None:
    (tmp_path / "data").mkdir()
    lock = acquire_lock(tmp_path / "data")
    try:
        refused = run_command("backup", "restore", "--replace")
    finally:
        os.close(lock)
    assert refused.code == 2
    assert f"process {os.getpid()}) runs in {tmp_path / 'data'}: stop it with `" in refused.errors
