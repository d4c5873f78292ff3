"""Witnesses: the author's own solution of a benchmark runs in a kernel of its own and is judged as a design is."""

from design_rules.design_data import DesignRequest
from documents.observation import observation_markdown
from kernel_host.protocol import KernelCall
from kernel_host.sessions.session import Cell
from pydantic import BaseModel

from cad_worker.host import KernelHost
from cad_worker.job_protocol import JUDGE, Judgement
from cad_worker.kernel_kinds import done_of
from cad_worker.session_protocol import CheckAnswer, CheckCall, QuoteCall, SessionOrder, SimulationAnswer

WITNESS_TIMEOUT_S = 120.0
SUBMISSION = "\nfrom utils import submit_for_review\nsubmit_for_review(assembly)\n"


class WitnessRejectedError(Exception):
    """The witness submitted nothing; the message has its observation."""


async def judge_witness(witness: str, order: SessionOrder, host: KernelHost) -> Judgement:
    """Run the witness in the world of `order` and judge what it submits.

    Raises `WitnessRejectedError`, `JobFailedError` if its geometry cannot be examined, and `KernelStartError`.
    """

    async def answer(wanted: KernelCall, _ordinal: int) -> BaseModel:
        if isinstance(wanted, QuoteCall):
            return await host.quote(wanted, order)
        if isinstance(wanted, CheckCall):
            return CheckAnswer()  # the judge lists what is wrong
        return SimulationAnswer(problem="a witness is certified without previews")

    session = await host.open_session(order, {}, {})
    try:
        outcome = await session.run(Cell(witness + SUBMISSION, "witness", 0, WITNESS_TIMEOUT_S), answer)
    finally:
        await session.close()
    submitted = done_of(outcome).submitted
    if submitted is None:
        raise WitnessRejectedError(f"the witness submitted nothing:\n{observation_markdown(outcome.observation)}")
    design = DesignRequest(design=submitted, environment=order.environment, assignment=order.assignment)
    return await host.examine(JUDGE, design)


def refusal_of(judgement: Judgement) -> str:
    """Return why a judged witness is not a valid design; empty if it is one."""
    if not judgement.findings and judgement.scene is not None:
        return ""
    found = "; ".join(f"{each.rule}: {each.detail}" for each in judgement.findings)
    return f"the witness is refused: {found or 'it gave no scene'}"
