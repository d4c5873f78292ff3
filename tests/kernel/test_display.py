"""Which thing is shown how, over a screen that keeps what it gets."""

import io

import numpy as np
import pytest
from kernel.api.display import png_of_array, show_on
from kernel.api.simulation_run import SimulationRun
from matplotlib.figure import Figure
from PIL import Image


class Screen:
    """Keeps what is shown."""

    def __init__(self) -> None:
        self.shapes: list[tuple[tuple[object, ...], str]] = []
        self.pictures: list[tuple[bytes, str]] = []

    def show_shapes(self, shapes: tuple[object, ...], label: str) -> None:
        self.shapes.append((shapes, label))

    def show_picture(self, png: bytes, label: str) -> None:
        self.pictures.append((png, label))

    def show_run(self, run: SimulationRun, label: str) -> None:
        raise AssertionError("no run is shown here")


class Shape:
    """Stands for a part: the kernel library knows none."""

    label = "bracket"


@pytest.fixture
def screen() -> Screen:
    return Screen()


@pytest.mark.parametrize("shape", [(6, 9), (6, 9, 3), (6, 9, 4)])
def test_an_array_arrives_pixel_by_pixel(shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(4).integers(0, 256, shape, np.uint8)
    with Image.open(io.BytesIO(png_of_array(array))) as image:
        assert np.array_equal(np.asarray(image), array)


@pytest.mark.parametrize(
    ("array", "hint"),
    [
        (np.zeros((4, 4)), "astype"),
        (np.zeros((4, 4), bool), "astype"),
        (np.zeros((4, 4, 2), np.uint8), "height, width"),
    ],
)
def test_what_is_no_picture_is_refused_with_a_hint(array: np.ndarray, hint: str, screen: Screen) -> None:
    with pytest.raises(TypeError, match=hint):
        show_on(screen, (array,), None)


def test_what_is_too_large_or_empty_is_refused(screen: Screen) -> None:
    for shape in ((5000, 5000), (0, 7)):
        with pytest.raises(ValueError, match="cannot be shown"):
            show_on(screen, (np.zeros(shape, np.uint8),), None)
    with pytest.raises(ValueError, match="figsize"):
        show_on(screen, (Figure(figsize=(90, 90)),), None)


def test_a_figure_is_called_by_its_title(screen: Screen) -> None:
    figure = Figure(figsize=(2, 1))
    figure.subplots().set_title("Speed")  # pyright: ignore[reportUnknownMemberType] - matplotlib leaves it open
    show_on(screen, (figure,), None)
    png, label = screen.pictures[0]
    assert label == "Speed"
    with Image.open(io.BytesIO(png)) as image:
        assert image.size == (200, 100)


def test_shapes_of_one_list_share_a_picture_and_others_do_not(screen: Screen) -> None:
    first, second = Shape(), Shape()
    show_on(screen, ([first, second], first), None)
    show_on(screen, ([np.zeros((2, 2), np.uint8), first],), "both")
    assert screen.shapes == [((first, second), "2 shapes"), ((first,), "bracket"), ((first,), "both (2 of 2)")]
    assert [label for _, label in screen.pictures] == ["both (1 of 2)"]


def test_a_picture_of_pillow_is_shown(screen: Screen) -> None:
    show_on(screen, (Image.new("1", (3, 2)),), "black")
    assert screen.pictures[0][1] == "black"


def test_nothing_and_too_much_are_refused(screen: Screen) -> None:
    with pytest.raises(TypeError, match="something to show"):
        show_on(screen, (), None)
    with pytest.raises(ValueError, match="at most 20"):
        show_on(screen, (Shape(),) * 21, None)
    with pytest.raises(TypeError, match="lists of lists"):
        show_on(screen, ([[Shape()]],), None)
