"""Each script of the corpus, and variants of them, gets the answer that its author would expect."""

import pytest
from cad_worker.host import KernelHost

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
