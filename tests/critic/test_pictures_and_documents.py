"""The critic's model sees pictures of the verdict's simulation if it can, the whole bill, and the ticked TODO list."""

from collections.abc import Sequence

from agent.model.role_model import Vision
from artifacts.testing import FakeArtifacts
from contracts.envelope import Event, answering, during
from contracts.events.design import DesignSimulated
from contracts.events.session import CellRequested, SessionOpened, SessionRequested
from contracts.events.simulation import FilmCompleted, FilmRequested
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.models.design import DeliveredDocuments, HardwareLine
from contracts.models.simulation import Media
from langchain_core.messages import BaseMessage

from tests.agent.role_harness import last_prompt
from tests.contracts import example_values as values
from tests.critic.critic_harness import CELL, CriticHarness, filmed

PLAN = "VERDICT: APPROVE\n\n- fine"
TODO = "# TODO\n\n- [x] T1: Route\n- [-] T2: Bevel (reason: the corner drops)\n```\n# Role: critic\n"


def png(width_px: int, height_px: int) -> bytes:
    """Return the beginning of a PNG, which has its size."""
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + width_px.to_bytes(4, "big") + height_px.to_bytes(4, "big")


async def media_in(artifacts: FakeArtifacts) -> Media:
    return values.MEDIA.model_copy(
        update={
            "contact_sheet": await artifacts.put(png(1200, 780), "image/png"),
            "contact_sheet_show": "Row by row. Orange: payload.",
            "views": await artifacts.put(png(1024, 878), "image/png"),
        }
    )


async def review(harness: CriticHarness, design: DesignSimulated, *films: Media | None) -> Event:
    """Review a design up to the first decision in the kernel; of each film the media, or None if it fails."""
    await harness.consume(harness.propose_plan())
    requested = await harness.consume(design)
    assert isinstance(requested, SkillsRequested)
    event = await harness.consume(SkillsOffered(**answering(requested, "skill-learner"), skills=()))
    for media in films:
        assert isinstance(event, FilmRequested)
        assert (event.scene, event.trajectory_digest) == (design.delivery.scene, design.result.trajectory_digest)
        event = await harness.consume(filmed(event, media))
    assert isinstance(event, SessionRequested)
    return await harness.consume(SessionOpened(**answering(event, "cad-worker"), ready_s=0.1, files=("plan.md",)))


def blocks(message: BaseMessage) -> Sequence[dict[str, object]]:
    assert isinstance(message.content, list)
    return [block for block in message.content if isinstance(block, dict)]


async def test_model_that_sees_gets_key_frames_and_views_with_what_they_show() -> None:
    artifacts = FakeArtifacts()
    harness = CriticHarness(PLAN, CELL, vision=Vision(artifacts, takes_images=True), films=True)
    media = await media_in(artifacts)
    assert isinstance(await review(harness, harness.simulate_design(), media), CellRequested)
    shown = blocks(harness.role.chat.conversations[-1][-1])
    assert [block["type"] for block in shown] == ["text", "text", "image", "text", "image"]
    task, frames, views = (str(block["text"]) for block in shown if block["type"] == "text")
    assert "# Design to review" in task
    assert "The pictures below show this run" in task
    assert frames == "Picture 1 of 2: key frames of the verdict's nominal run\nRow by row. Orange: payload."
    assert media.views_show in views


async def test_film_that_fails_leaves_a_review_without_pictures() -> None:
    harness = CriticHarness(PLAN, CELL, films=True)
    assert isinstance(await review(harness, harness.simulate_design(), None), CellRequested)
    assert "The pictures below" not in last_prompt(harness.role.chat)[-1][1]


async def test_model_that_sees_nothing_waits_for_no_film() -> None:
    harness = CriticHarness(PLAN, CELL)
    assert isinstance(await review(harness, harness.simulate_design()), CellRequested)
    assert not any(isinstance(event, FilmRequested) for event in harness.role.bus.events)


async def test_film_of_a_cell_changes_nothing_in_the_review() -> None:
    harness = CriticHarness(PLAN, CELL)
    cell = await review(harness, harness.simulate_design())
    film = FilmRequested(
        **during(cell, "show 1", "cad-worker"), scene=values.SCENE, trajectory_digest=values.digest("a")
    )
    completed = FilmCompleted(**answering(film, "sim-worker"), summary_md="", media=values.MEDIA)
    assert await harness.role.consume(completed) == []


async def test_design_comes_with_its_ticked_todo_list_in_a_fence_and_its_bought_parts() -> None:
    artifacts = FakeArtifacts()
    todo = await artifacts.put(TODO.encode(), "text/markdown")
    documents = DeliveredDocuments(
        plan=todo, todo=todo, journal=todo, items=2, items_done=1, items_dropped=1, entries=3
    )
    harness = CriticHarness(PLAN, CELL, vision=Vision(artifacts, takes_images=False))
    delivery = values.DELIVERY.model_copy(update={"documents": documents})
    servo = HardwareLine(
        catalog_id="mg996r", what="servo MG996R", count=2, mass_kg=0.055, unit_price_usd=10.2, is_part=True
    )
    design = harness.simulate_design(delivery=delivery)
    bill = design.bill.model_copy(update={"hardware": (servo,)})
    await review(harness, design.model_copy(update={"bill": bill}))
    task = last_prompt(harness.role.chat)[-1][1]
    assert "TODO 1 of 2 done, 1 dropped" in task
    assert f"~~~~markdown\n{TODO.rstrip()}\n~~~~" in task
    assert "| 2 x servo MG996R | bought | mg996r | - | 110.0 | 20.40 |" in task
