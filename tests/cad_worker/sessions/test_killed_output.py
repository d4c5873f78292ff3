"""Output of a cell is kept when its kernel dies, in any amount."""

import pytest
from kernel_host.sessions.session import Session

from tests.cad_worker.cells import run

pytestmark = pytest.mark.asyncio(loop_scope="session")

PRINTS = "for n in range(5000):\n    print(n)\n"
PRINTED = "".join(f"{n}\n" for n in range(5000))


@pytest.mark.parametrize(
    ("end", "timeout_s"),
    [
        ("import random\n[random][0]._os._exit(7)", 60.0),
        ("while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass", 1.5),
    ],
    ids=["dies", "does not stop"],
)
async def test_output_until_the_kill_is_kept(
    session: Session, end: str, timeout_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kernel_host.sessions.session.GRACE_S", 0.3)
    outcome = await run(session, PRINTS + end, timeout_s=timeout_s)
    seen = outcome.observation
    assert (seen.status, seen.output_chars) == ("killed", len(PRINTED))
    assert len(seen.output) < len(PRINTED)
    assert outcome.full_output == PRINTED


async def test_short_output_of_a_killed_cell_has_no_full_text(session: Session) -> None:
    outcome = await run(session, "print('last words')\nimport random\n[random][0]._os._exit(7)")
    assert (outcome.observation.status, outcome.observation.output) == ("killed", "last words\n")
    assert outcome.full_output is None
