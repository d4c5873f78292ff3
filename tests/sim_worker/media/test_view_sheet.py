"""View sheets of geometry, from its triangles to a PNG."""

import struct
from uuid import UUID

import numpy as np
import pytest
from artifacts.testing import FakeArtifacts
from contracts.events.rendering import Mesh, Meshes, RenderCompleted, RenderFailed, RenderRequested, View
from sim_worker.handlers import render
from sim_worker.media import view_sheet
from sim_worker.media.canvas import Picture
from sim_worker.media.display_model import PAPER
from sim_worker.media.film import VideoFormat
from sim_worker.media.renderer import MediaRenderer
from sim_worker.media.view_sheet import draw_view_sheet

from tests.sim_worker.scenes import box_mesh

RED, BLUE = (0.9, 0.1, 0.1, 1.0), (0.1, 0.2, 0.9, 1.0)
SIZE = (120, 96)


def tower() -> Meshes:
    """Return a blue block upon a red one: from below only the red one is to be seen."""
    low = box_mesh("low", (0, 0, 0), (40, 30, 10), RED)
    high = box_mesh("high", (15, 10, 10), (25, 20, 40), BLUE)
    return Meshes(meshes=(low, high))


def pixels(picture: Picture, color: tuple[float, ...]) -> int:
    """Return how many pixels are of about that hue."""
    strongest = int(np.argmax(color[:3]))
    others = [channel for channel in range(3) if channel != strongest]
    values = picture.astype(int)
    return int((values[..., strongest] > 40 + values[..., others].max(axis=-1)).sum())


async def drawn(packed: bytes, views: tuple[View, ...] = ("iso",)) -> tuple[RenderCompleted | RenderFailed, bytes]:
    artifacts = FakeArtifacts()
    request = RenderRequested(
        id=UUID(int=2),
        run_id=UUID(int=1),
        role="engineer",
        producer="test",
        meshes=await artifacts.put(packed, "application/json"),
        views=views,
        view_width_px=SIZE[0],
        view_height_px=SIZE[1],
    )
    outcome = await render(request, artifacts, MediaRenderer(VideoFormat()))
    return outcome, await artifacts.get(outcome.picture) if isinstance(outcome, RenderCompleted) else b""


def test_each_view_has_its_direction() -> None:
    sheet = draw_view_sheet(tower(), ("bottom", "front", "top"), *SIZE)
    assert sheet.shape == (2 * SIZE[1], 2 * SIZE[0], 3)
    bottom, front, top = sheet[: SIZE[1], : SIZE[0]], sheet[: SIZE[1], SIZE[0] :], sheet[SIZE[1] :, : SIZE[0]]
    assert pixels(bottom, BLUE) == 0 < pixels(bottom, RED)
    assert min(pixels(front, BLUE), pixels(front, RED)) > 100
    assert min(pixels(top, BLUE), pixels(top, RED)) > 100
    assert np.all(sheet[SIZE[1] :, SIZE[0] :] == 255), "the field without a view stays white"


def test_geometry_of_any_size_fills_its_view() -> None:
    for edge_mm in (0.5, 2000.0):
        cube = Meshes(meshes=(box_mesh("cube", (0, 0, 0), (edge_mm, edge_mm, edge_mm), RED),))
        picture = draw_view_sheet(cube, ("front",), *SIZE)
        assert pixels(picture, RED) > 0.4 * SIZE[0] * SIZE[1], edge_mm


def test_flat_mesh_is_visible() -> None:
    sheet = Mesh(label="s", vertices_mm=((0, 0, 0), (10, 0, 0), (0, 10, 0)), triangles=((0, 1, 2),), color_rgba=RED)
    assert pixels(draw_view_sheet(Meshes(meshes=(sheet,)), ("top",), *SIZE), RED) > 500


def test_background_is_paper() -> None:
    corner = draw_view_sheet(tower(), ("iso",), *SIZE)[-1, -1]
    assert np.abs(corner / 255 - np.array(PAPER)).max() < 0.05


async def test_render_returns_png_of_reported_size() -> None:
    outcome, png = await drawn(tower().model_dump_json().encode(), ("iso", "top"))
    assert isinstance(outcome, RenderCompleted)
    assert png.startswith(b"\x89PNG")
    assert struct.unpack(">II", png[16:24]) == (outcome.width_px, outcome.height_px) == (2 * SIZE[0], SIZE[1])


@pytest.mark.parametrize(
    ("meshes", "reason"),
    [
        (b"[]", "meshes_invalid"),
        (Meshes(meshes=()).model_dump_json().encode(), "nothing_to_see"),
        (
            Meshes(meshes=(Mesh(label="m", vertices_mm=((0, 0, 0),), triangles=((0, 0, 7),)),))
            .model_dump_json()
            .encode(),
            "meshes_invalid",
        ),
        (
            Meshes(meshes=(Mesh(label="m", vertices_mm=((0, 0, 0),), triangles=((0, 0, 0),)),))
            .model_dump_json()
            .encode(),
            "nothing_to_see",
        ),
    ],
)
async def test_render_of_undrawable_meshes_fails(meshes: bytes, reason: str) -> None:
    outcome, _ = await drawn(meshes)
    assert isinstance(outcome, RenderFailed)
    assert outcome.reason == reason


async def test_render_of_too_many_triangles_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_sheet, "MAX_TRIANGLES", 20)
    outcome, _ = await drawn(tower().model_dump_json().encode())
    assert isinstance(outcome, RenderFailed)
    assert outcome.reason == "too_large"
    assert "24 triangles" in outcome.detail
