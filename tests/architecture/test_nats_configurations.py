"""Every NATS server of ours, in production and in tests, has written to disk what it acknowledges."""

from tests.architecture.repository import ROOT, known_files

SETTING = "store_dir" + ":"
SUFFIXES = {".py", ".conf", ".yml", ".yaml"}


def test_every_jetstream_syncs_before_it_acknowledges() -> None:
    configured = [
        f"{path}:{number}: {line.strip()}"
        for path in known_files()
        if path.suffix in SUFFIXES
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1)
        if SETTING in line
    ]
    assert len(configured) >= 4
    assert [line for line in configured if "sync_interval" not in line] == []
