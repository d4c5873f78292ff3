"""Tests of what pages show of an event."""

from uuid import uuid4

from contracts.events.simulation import FilmCompleted
from gateway.pages.page_templates import fragment
from gateway.pages.views.blocks import ClipBlock
from gateway.pages.views.event_blocks import blocks_of

from tests.contracts import example_values as values

CLIP = values.blob("clip.webp", "image/webp", 138_000)


def _filmed(has_clip: bool) -> FilmCompleted:
    media = values.MEDIA.model_copy(update={"clip": CLIP if has_clip else None})
    role = {"id": uuid4(), "run_id": values.RUN, "role": "planner", "producer": "sim-worker"}
    return FilmCompleted.model_validate({**role, "summary_md": "A film.", "media": media})


def test_film_with_a_clip_offers_it() -> None:
    (block,) = [each for each in blocks_of(_filmed(has_clip=True)) if isinstance(each, ClipBlock)]
    shown = fragment("blocks/clip.html", block=block)
    assert f'href="/artifacts/{CLIP.sha256}" download="clip.webp"' in shown
    assert "138 kB" in shown


def test_film_of_an_older_run_has_no_clip() -> None:
    assert not any(isinstance(each, ClipBlock) for each in blocks_of(_filmed(has_clip=False)))
