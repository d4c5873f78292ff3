"""Each script of the corpus, and variants of them, gets the answer that its author would expect. Two of their bills."""

import pytest
from cad_worker.host import KernelHost
from contracts.models.design import BillOfMaterials

from tests.support.script_corpus.answers import SCRIPTS, VARIANTS, Script
from tests.support.script_corpus.trial import HERE, answer_to

pytestmark = pytest.mark.asyncio(loop_scope="session")

REPLICAS = 4


@pytest.mark.sample(12)
@pytest.mark.parametrize("script", [*SCRIPTS, *VARIANTS], ids=lambda script: script.name)
async def test_script_gets_the_right_answer(kernel_host: KernelHost, script: Script) -> None:
    assert not (await answer_to(script, kernel_host, REPLICAS)).fault(script)


async def test_corpus_has_all_scripts() -> None:
    assert {script.name for script in SCRIPTS} == {path.stem for path in (HERE / "scripts").glob("*.txt")}


async def test_labels_of_any_script_and_sign_are_accepted(kernel_host: KernelHost) -> None:
    (script,) = (each for each in VARIANTS if each.name.startswith("labels with signs"))
    answer = await answer_to(script, kernel_host, 2)
    assert not answer.fault(script)
    labels = [line.label for line in answer.bill.lines] if answer.bill else []
    assert labels == ["斜面_<b>A&B<_b>_'y'__..__№1___z____$", "_Упор_%41_🔩"]


async def test_bill_has_mass_and_price_of_a_bought_part(kernel_host: KernelHost) -> None:
    bill = await _bill(kernel_host, "bought_part_mass")
    (servo,) = (line for line in bill.hardware if line.is_part)
    assert (servo.catalog_id, servo.count, servo.mass_kg, servo.unit_price_usd) == ("mg996r", 1, 0.055, 10.2)


async def test_bill_counts_equal_parts_as_one_kind(kernel_host: KernelHost) -> None:
    bill = await _bill(kernel_host, "four_equal_posts")
    assert [len(alike) for alike in bill.kinds] == [1, 1, 4]
    assert {line.kind for line in bill.kinds[-1]} == {"post-0"}
    assert bill.kinds[0][0].kind is None


async def _bill(host: KernelHost, name: str) -> BillOfMaterials:
    (script,) = (each for each in SCRIPTS if each.name == name)
    answer = await answer_to(script, host, 2)
    assert answer.bill is not None, answer.message
    return answer.bill
