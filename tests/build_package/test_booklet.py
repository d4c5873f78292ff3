"""The README as PDF, read by other software."""

import io

import numpy as np
import pytest
from build_package.booklet.blocks import NamedPicture, Paragraph, TableRows, blocks_of
from build_package.booklet.pages import as_booklet
from build_package.booklet.text_lines import column_widths_mm, lines_of, width_mm
from PIL import Image

from tests.build_package.other_software import pages_of

TEXT = """# Title

Two lines
of text with `code` and [a file](plates/one.3mf), [3mf](printed/arm.3mf).

- one
- two
  goes on

1. first

| part | pieces |
|---|---|
| `arm` | 2 |

![step 1](assembly/step-01.png)
"""


def picture() -> bytes:
    stream = io.BytesIO()
    Image.fromarray(np.full((420, 560, 3), (240, 140, 40), dtype=np.uint8)).save(stream, "PNG")
    return stream.getvalue()


def test_blocks_of_a_text_are_plain_and_links_keep_paths_that_words_do_not_end() -> None:
    assert list(blocks_of(TEXT)) == [
        Paragraph("Title", 1),
        Paragraph("Two lines of text with code and a file (plates/one.3mf), 3mf."),
        Paragraph("one", mark="•"),
        Paragraph("two goes on", mark="•"),
        Paragraph("first", mark="1."),
        TableRows((("part", "pieces"), ("arm", "2"))),
        NamedPicture("assembly/step-01.png"),
    ]


def test_booklet_has_all_texts_and_the_picture_on_a4() -> None:
    (page,) = pages_of(as_booklet(TEXT, {"assembly/step-01.png": picture()}, "a machine"))
    assert page.size_mm == pytest.approx((210, 297), abs=0.1)
    for text in ("Title", "Two lines of text", "two goes on", "pieces", "a machine"):
        assert text in page.text
    assert page.ink > 84 * 63 / (210 * 297), "the picture is 84 x 63 mm"


def test_long_table_and_steps_continue_on_further_pages() -> None:
    rows = "".join(f"| part-{number} | {number} |\n" for number in range(150))
    steps = "".join(f"### Step {number}\nwords\n\n![step](one.png)\n\n" for number in range(1, 8))
    pages = pages_of(as_booklet(f"| a | b |\n|---|---|\n{rows}\n{steps}", {"one.png": picture()}, "long"))
    whole = " ".join(page.text for page in pages)
    assert all(f"part-{number}" in whole for number in range(150))
    assert all(page.text.count("Step ") <= 3 for page in pages), "a step is on one page with its picture"
    assert [str(number) in page.text for number, page in enumerate(pages, start=1)] == [True] * len(pages)


def test_letters_without_a_glyph_are_shown_by_their_codes() -> None:
    (page,) = pages_of(as_booklet("# Platte_端", {}, "x"))
    assert "<U+7AEF>" in page.text


def test_words_and_columns_fit_their_room() -> None:
    lines = lines_of("a label-that-is-much-longer-than-the-room-it-has and more", 30, 9)
    assert "".join(lines).replace(" ", "") == "alabel-that-is-much-longer-than-the-room-it-hasandmore"
    assert max(width_mm(line, 9) for line in lines) <= 30
    rows = [["x", "a very long cell " * 8, "y"]]
    widths = column_widths_mm(rows, 100, 7, 2)
    assert sum(widths) == pytest.approx(100)
    assert widths[0] == pytest.approx(width_mm("x", 7) + 2)
    assert lines_of("teeth", widths[0] - 2 + width_mm("teeth", 7) - width_mm("x", 7), 7) == ["teeth"]
