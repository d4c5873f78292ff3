"""Which models may be loaded from which weights, and the announcement of a server."""

import asyncio
from pathlib import Path

import pytest
from chassis.servers.access import open_registry
from chassis.settings import BusSettings
from perception_server.calls.answer_cache import AnswerCache
from perception_server.calls.memory_budget import MemoryBudget
from perception_server.models import registry
from perception_server.models.interface import Adapter, ModelCard, ModelError
from perception_server.models.registry import adapters, chosen
from perception_server.weights import NOTE, WeightsNote, folder_of, note_of
from pydantic import ValidationError

from tests.support.questions.perception_server import FlatDepth, perception_server, settings_of

DEPTH, SEGMENTER = "depth-anything-3-base", "sam3"


def test_default_models_are_known_and_free_for_any_use():
    names = settings_of().perception_server_models
    assert [each.card.task for each in chosen(names, non_commercial=False)] == [
        "reconstruct",
        "scale",
        "segment",
    ]


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ("sam9", "sam9 is unknown; there are depth-anything-2-metric-indoor"),
        ("", "names no model"),
        (f"{DEPTH}, depth-anything-2-metric-outdoor", "second model for reconstruct"),
    ],
)
def test_wrong_choice_of_models_is_refused(names: str, problem: str):
    with pytest.raises(ModelError, match=problem):
        chosen(names, non_commercial=False)


def test_weights_for_non_commercial_use_need_a_setting(monkeypatch: pytest.MonkeyPatch):
    card = ModelCard("large", "reconstruct", "a/large", "main", "CC BY-NC 4.0", is_commercial=False)
    monkeypatch.setattr(registry, "OURS", (Adapter(card, "json:loads"),))
    with pytest.raises(ModelError, match=r"non-commercial use \(CC BY-NC 4.0\)"):
        chosen("large", non_commercial=False)
    assert [each.card for each in chosen("large", non_commercial=True)] == [card]


def test_weights_that_were_not_fetched_are_named_with_the_command(tmp_path: Path):
    with pytest.raises(ModelError, match=r"`\./run perception fetch sam3` downloads them"):
        note_of(adapters()[SEGMENTER].card, tmp_path)


def test_weights_in_a_folder_have_their_revision(tmp_path: Path):
    card = adapters()[DEPTH].card
    folder_of(card, tmp_path).mkdir()
    note = WeightsNote(repository=card.repository, revision="0123abc", licence=card.licence)
    (folder_of(card, tmp_path) / NOTE).write_text(note.model_dump_json())
    assert note_of(card, tmp_path) == note


def test_short_token_is_refused():
    with pytest.raises(ValidationError, match="perception_gpu_token"):
        settings_of(perception_gpu_token="short")


def test_answers_that_were_not_used_for_longest_make_room():
    cache = AnswerCache(100)
    for name in (b"a", b"b", b"c", b"d"):
        cache.put(name, name * 25)
    assert cache.get(b"a") == b"a" * 25
    cache.put(b"e", b"e" * 25)
    assert [name for name in (b"a", b"b", b"c", b"d", b"e") if cache.get(name) is None] == [b"b"]
    cache.put(b"f", b"f" * 26)
    assert cache.get(b"f") is None


async def test_requests_wait_for_memory_in_their_order():
    budget, inside = MemoryBudget(100), list[int]()

    async def hold(size: int, until: asyncio.Event) -> None:
        async with budget.reserve(size):
            inside.append(size)
            await until.wait()

    gates = [asyncio.Event() for _ in range(3)]
    holders = [asyncio.create_task(hold(size, gate)) for size, gate in zip((60, 50, 30), gates, strict=True)]
    for _ in range(5):
        await asyncio.sleep(0)
    assert (inside, budget.used) == ([60], 60)  # 30 would fit, and waits behind 50
    gates[0].set()
    await holders[0]
    for _ in range(5):
        await asyncio.sleep(0)
    assert (inside, budget.used) == ([60, 50, 30], 80)
    for gate in gates:
        gate.set()
    await asyncio.gather(*holders)
    assert budget.used == 0


async def test_request_beyond_the_whole_memory_is_let_in_alone():
    budget = MemoryBudget(100)
    async with budget.reserve(500):
        assert budget.used == 500


async def test_server_is_announced_while_it_works(nats_url: str):
    async with open_registry(BusSettings(nats_url=nats_url)) as announced:
        async with perception_server(FlatDepth(), nats_url=nats_url, perception_server_url="own") as address:
            async with asyncio.timeout(10):
                while address not in {each.server.url for each in await announced.read()}:  # noqa: ASYNC110 - a poll
                    await asyncio.sleep(0.05)
            [entry] = [each.server for each in await announced.read() if each.server.url == address]
            assert (entry.kind, entry.busy) == ("perception", 0)
        assert address not in {each.server.url for each in await announced.read()}
