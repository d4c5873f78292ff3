"""Files of parts that users send, quoted by cad-worker."""

from pathlib import Path
from uuid import uuid4

import pytest
from artifacts.testing import FakeArtifacts
from build123d import (
    Box,
    export_step,  # pyright: ignore[reportUnknownVariableType] - PathLike of anything
)
from cad_worker.handlers import quote_parts
from cad_worker.host import KernelHost
from contracts.envelope import opening
from contracts.events.quote import QuoteCompleted, QuoteRequested
from contracts.quotes import DrawnParts, FileQuote, QuoteChoice

from tests.chaos.bombs.files import BOMBS

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCRIPT = b"from build123d import Box\npart = Box(30, 20, 10)\n"


async def quoted(host: KernelHost, name: str, data: bytes) -> tuple[QuoteCompleted, FileQuote, DrawnParts]:
    """Return the answer about a file, with its artifacts."""
    artifacts, run_id = FakeArtifacts(), uuid4()
    request = QuoteRequested(
        **opening(run_id, "operations", "engineer", "gateway"),
        name=name,
        file=await artifacts.put(data, "application/octet-stream"),
        choice=QuoteChoice(methods=("cnc",), quantities=(1, 10)),
    )
    done = await quote_parts(request, host, artifacts)
    quote = FileQuote.model_validate_json(await artifacts.get(done.quote))
    return done, quote, DrawnParts.model_validate_json(await artifacts.get(done.shown))


async def test_part_of_a_step_file_and_of_a_script_have_one_price(host: KernelHost, tmp_path: Path) -> None:
    export_step(Box(30, 20, 10), str(tmp_path / "block.step"))
    found = [
        await quoted(host, name, data)
        for name, data in (("block.step", (tmp_path / "block.step").read_bytes()), ("block.py", SCRIPT))
    ]
    for done, quote, shown in found:
        assert (done.verdict, done.parts, quote.verdict, len(shown.parts)) == ("makeable", 1, "makeable", 1)
    prices = [quote.sums[0].unit_price_usd for _, quote, _ in found]
    assert prices[0] == pytest.approx(prices[1], rel=1e-6)
    assert prices[0] > 0


async def test_file_that_cannot_be_read_is_an_answer(host: KernelHost) -> None:
    done, quote, shown = await quoted(host, "cube.stl", b"solid cube")
    assert (done.verdict, done.parts, quote.problem) == ("unusable", 0, done.problem)
    assert done.problem
    assert shown.parts == ()


async def test_endless_script_costs_only_its_own_quote(host: KernelHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cad_worker.file_quotes.CPU_S", 1.0)
    done, quote, _ = await quoted(host, "endless.py", b"while True:\n    pass\n")
    assert (done.verdict, quote.problem_kind) == ("unusable", "time_limit")


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("cut.step", "ends early"),
        ("cycle.step", "no shape"),
        ("far.step", "no shape"),
        ("nan.step", "could not be judged"),
        ("nested.step", "breaks off"),
        ("sphere.step", "beyond 100000 mm"),
    ],
)
async def test_step_bomb_is_an_answer(host: KernelHost, name: str, word: str) -> None:
    """Those that take a second; tests/faults has all of them, through all doors."""
    done, _, shown = await quoted(host, name, BOMBS[name]())
    assert (done.verdict, shown.parts) == ("unusable", ())
    assert word in done.problem
