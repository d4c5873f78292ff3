"""A design with a mechanism on its way out of a kernel."""

import pytest
from cad_worker.job_protocol import Quote
from cad_worker.kernel_kinds import done_of
from cad_worker.session_protocol import CheckAnswer, CheckCall, QuoteAnswer, QuoteCall
from kernel_host.protocol import KernelCall
from kernel_host.sessions.session import Cell, CellOutcome, Session
from pydantic import BaseModel

pytestmark = pytest.mark.asyncio(loop_scope="session")

DOOR = """
from build123d import *
from utils import Positions, bond_contacts, bonded, catalog_part, drive, submit_for_review, validate_and_price

post = Pos(0, 0, 20) * Box(10, 10, 40)
post.label = "post"
door = Box(40, 4, 30)
door.label = "door"
hinge = RevoluteJoint("hinge", post, axis=Axis((0, 8, 20), (0, 0, 1)), angular_range=(-90, 0))
hinge.connect_to(RigidJoint("edge", door, Pos(-20, 0, 0)), angle=0)
servo = Pos(0, 8, 80) * catalog_part("mg996r")
mount = RigidJoint("mount", environment.children[0], Location((0, 0, 0)))
foot = RigidJoint("foot", post, Location((0, 0, 0)))
mount.connect_to(foot)
assembly = Compound(label="machine", children=[post, door, servo])
turn = drive(servo, joint="hinge", control=Positions(times_s=[1], targets=[-60]))
assembly.metadata = {"mechanism": [bonded(servo, post), turn]}
"""


class Host:
    """Answers calls of tools, and keeps the calls."""

    def __init__(self) -> None:
        self.calls: list[KernelCall] = []

    async def answer(self, call: KernelCall, _ordinal: int) -> BaseModel:
        self.calls.append(call)
        return CheckAnswer() if isinstance(call, CheckCall) else QuoteAnswer(quote=Quote(findings=()))


async def run_with_host(session: Session, code: str) -> tuple[CellOutcome, list[KernelCall]]:
    host = Host()
    return await session.run(Cell(code, "cell", 0, 20.0), host.answer), host.calls


async def test_submission_contains_its_mechanism(session: Session) -> None:
    done, calls = await run_with_host(session, DOOR + "submit_for_review(assembly)")
    assert done.observation.status == "ok", done.observation.error
    (check,) = calls
    assert isinstance(check, CheckCall)
    assert done_of(done).submitted == check.design
    mechanism = check.design.mechanism
    assert [(each.label, each.parent, each.child) for each in mechanism.joints] == [("hinge", "post", "door")]
    assert {(each.first, each.second) for each in mechanism.connections} == {("floor", "post"), ("mg996r", "post")}
    assert [each.part for each in mechanism.motors] == ["mg996r"]
    assert [part.catalog_id for part in check.design.parts] == [None, None, "mg996r"]
    assert all(part.label != "post" for part in check.environment.parts)


async def test_part_of_a_joint_can_be_priced_alone(session: Session) -> None:
    _, calls = await run_with_host(session, DOOR + "validate_and_price(door)")
    (quote,) = calls
    assert isinstance(quote, QuoteCall)
    assert [part.label for part in quote.component.parts] == ["door"]
    assert quote.component.mechanism.joints == ()


async def test_broken_joint_is_an_error_of_the_cell(session: Session) -> None:
    done, calls = await run_with_host(session, DOOR + "door.locate(Pos(0, 0, 200))\nsubmit_for_review(assembly)")
    assert calls == []
    assert done.observation.error is not None
    assert "'hinge' of 'post'" in done.observation.error.message
    assert "connect_to again" in done.observation.error.message
