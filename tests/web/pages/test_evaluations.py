"""The page of evaluations: results of `millwright eval --output`, whatever the files contain."""

import re
from pathlib import Path
from uuid import uuid4

from cli.evaluation.trials import TrialResult
from gateway.settings import Settings

from tests.gateway.gateway_client import running

PATH = "/pages/evaluations"


def trial(seed: int, *, solved: bool) -> TrialResult:
    figures = {"steps": 5, "model_calls": 9, "input_tokens": 1, "output_tokens": 1, "cost_usd": None, "time_s": 20.0}
    names = {"benchmark": "detour", "executor": "code", "model": "openai:<b>", "run_id": uuid4()}
    end = (
        {"designs": 1, "price_share": 1.25, "success_rate": 1 - seed / 32}
        if solved
        else {"failure": "physics", "reason": "it <i>missed</i>"}
    )
    return TrialResult.model_validate({**figures, **names, **end, "seed": seed, "solved": solved})


async def test_results_of_the_command_are_shown(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "first"
    folder.mkdir()
    lines = [trial(seed, solved=seed != 1).model_dump_json() for seed in range(3)]
    (folder / "results.jsonl").write_text("\n".join(lines) + "\n")
    async with running(settings.model_copy(update={"gateway_evaluations": tmp_path})) as gateway:
        text = (await gateway.client.get(PATH)).raise_for_status().text
    assert "2 of 3" in text
    assert "openai:&lt;b&gt;" in text
    assert "unknown" in text
    assert "1 physics" in text
    assert "125 %" in text
    assert '<td class="number">94 %</td>' in text, "30 of 32 replicas, the least"
    assert "seed 1: it &lt;i&gt;missed&lt;/i&gt;" in text
    assert (text.count('class="run-solved"'), text.count('class="run-failed"')) == (2, 1)


async def test_file_that_is_not_one_of_results_is_named(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text("{}\n")
    async with running(settings.model_copy(update={"gateway_evaluations": tmp_path})) as gateway:
        assert "it cannot be read" in (await gateway.client.get(PATH)).raise_for_status().text


async def test_page_without_a_folder_names_the_setting(settings: Settings) -> None:
    async with running(settings) as gateway:
        assert "GATEWAY_EVALUATIONS" in (await gateway.client.get(PATH)).raise_for_status().text


async def test_two_evaluations_are_compared_in_pairs(settings: Settings, tmp_path: Path) -> None:
    for name, solved in (("old <i>", {0, 1}), ("new", {1, 2, 3})):
        (tmp_path / name).mkdir()
        lines = [trial(seed, solved=seed in solved).model_dump_json() for seed in range(5)]
        (tmp_path / name / "results.jsonl").write_text("\n".join(lines) + "\n")
    async with running(settings.model_copy(update={"gateway_evaluations": tmp_path})) as gateway:
        text = (await gateway.client.get(PATH, params={"first": "old <i>", "second": "new"})).raise_for_status().text
        unknown = await gateway.client.get(PATH, params={"first": "nothing", "second": "new"})
    assert "old &lt;i&gt; and new in pairs" in text
    (row,) = [each for each in text.split("<tr>") if "<td>detour</td>" in each and "+20 (" in each]
    assert re.findall(r">(\d+)</td>", row) == ["1", "1", "2", "1"]
    assert "in pairs" not in unknown.raise_for_status().text
