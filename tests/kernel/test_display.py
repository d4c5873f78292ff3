"""`show()`: pictures, labels and refusals, on a fake screen."""

import io

import numpy as np
import pytest
from kernel.api.display import png_of_array, show_on
from matplotlib.figure import Figure
from PIL import Image

from tests.kernel.fakes import FakeScreen, Labelled


@pytest.fixture
def screen() -> FakeScreen:
    return FakeScreen()


@pytest.mark.parametrize("shape", [(6, 9), (6, 9, 3), (6, 9, 4)])
def test_array_png_keeps_every_pixel(shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(4).integers(0, 256, shape, np.uint8)
    with Image.open(io.BytesIO(png_of_array(array))) as image:
        assert np.array_equal(np.asarray(image), array)


def test_too_large_or_empty_picture_is_refused(screen: FakeScreen) -> None:
    for shape in ((5000, 5000), (0, 7)):
        with pytest.raises(ValueError, match="cannot be shown"):
            show_on(screen, (np.zeros(shape, np.uint8),), None)
    with pytest.raises(ValueError, match="figsize"):
        show_on(screen, (Figure(figsize=(90, 90)),), None)


def test_figure_is_labelled_by_its_title(screen: FakeScreen) -> None:
    figure = Figure(figsize=(2, 1))
    figure.subplots().set_title("Speed")  # pyright: ignore[reportUnknownMemberType] - matplotlib leaves it open
    show_on(screen, (figure,), None)
    png, label = screen.pictures[0]
    assert label == "Speed"
    with Image.open(io.BytesIO(png)) as image:
        assert image.size == (200, 100)


def test_shapes_of_one_list_share_a_picture(screen: FakeScreen) -> None:
    first, second = Labelled("bracket"), Labelled("bracket")
    show_on(screen, ([first, second], first), None)
    show_on(screen, ([np.zeros((2, 2), np.uint8), first],), "both")
    assert screen.shapes == [((first, second), "2 shapes"), ((first,), "bracket"), ((first,), "both (2 of 2)")]
    assert [label for _, label in screen.pictures] == ["both (1 of 2)"]


def test_pillow_image_is_shown(screen: FakeScreen) -> None:
    show_on(screen, (Image.new("1", (3, 2)),), "black")
    png, label = screen.pictures[0]
    assert label == "black"
    with Image.open(io.BytesIO(png)) as image:
        assert (image.mode, image.size) == ("RGB", (3, 2))


def test_too_large_pillow_image_is_refused(screen: FakeScreen) -> None:
    with pytest.raises(ValueError, match="5000 x 5000"):
        show_on(screen, (Image.new("1", (5000, 5000)),), None)
