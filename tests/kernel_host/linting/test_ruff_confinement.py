"""Ruff reads agents' texts, and does nothing else to the machine."""

from pathlib import Path

import pytest
from kernel_host.linting import ruff
from pydantic import ValidationError


async def test_ruff_cannot_write_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    escaped = tmp_path / "escaped.json"
    options = (*ruff._OPTIONS, f"--output-file={escaped}")  # pyright: ignore[reportPrivateUsage] - a trap for ruff
    monkeypatch.setattr(ruff, "_OPTIONS", options)
    with pytest.raises(ValidationError):  # it printed nothing
        await ruff.lint("script.py", "pass\n", lambda _module: None)
    assert not escaped.exists()
