"""A session's log on disk."""

from pathlib import Path
from uuid import uuid4

import pytest
from contracts.events.session import FileWriteRequested
from millwright.sessions.session_log import LOG, SessionInUseError, SessionLog


def written(text: str) -> FileWriteRequested:
    return FileWriteRequested(id=uuid4(), run_id=uuid4(), role="engineer", producer="test", path="a.py", text=text)


def test_log_without_the_end_of_its_last_line_has_all_others_and_goes_on(tmp_path: Path) -> None:
    log = SessionLog(tmp_path)
    first, second, third = written("1\n"), written("2"), written("3")
    log.append(first, second)
    log.close()
    with (tmp_path / LOG).open("ab") as file:
        file.write(b'{"subject":"mw.fil')
    log = SessionLog(tmp_path)
    assert log.events == [first, second]
    log.append(third)
    log.close()
    log = SessionLog(tmp_path)
    assert log.events == [first, second, third]
    log.close()


def test_log_that_is_open_is_refused_to_others(tmp_path: Path) -> None:
    log = SessionLog(tmp_path)
    with pytest.raises(SessionInUseError, match=tmp_path.name):
        SessionLog(tmp_path)
    log.close()
    SessionLog(tmp_path).close()
