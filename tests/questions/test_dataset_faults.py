"""Faulty copies of public data sets: each fault is named when the set is read, before a model is paid."""

import json
from pathlib import Path
from typing import Any

import pytest
from questions.imported.datasets.choices import inline_choices
from questions.imported.datasets.loader import Dataset, load_dataset
from questions.imported.fields import RecordUnusableError
from questions.imported.files import file_inside

from tests.support.questions.dataset_copies import COPIES
from tests.support.questions.red_squares import write_picture


def changed(folder: Path, **fields: Any) -> Dataset:
    """Read a copy of `viewspatial` with other fields in its second row."""
    COPIES["viewspatial"].write(folder, 2)
    file = folder / "ViewSpatial-Bench.json"
    rows = json.loads(file.read_text("utf-8"))
    rows[1] |= fields
    file.write_text(json.dumps(rows), "utf-8")
    return load_dataset("viewspatial", folder)


@pytest.mark.parametrize("text", ['["A. left", "B. right"]', "['A. left', 'B. right']", '{"A": "left", "B": "right"}'])
def test_list_of_lettered_choices_in_a_text_is_parsed_as_a_list(text: str, tmp_path: Path):
    item = changed(tmp_path, choices=text, answer="B").questions[1].item
    assert item.answer.kind == "choice"
    assert (item.answer.choices, item.exact) == (("left", "right"), "B")


def test_choice_that_ends_with_a_letter_is_kept_whole():
    text = "Which? A. Point A. B. Point B. C. Point C."
    assert inline_choices(text) == ("Which?", ("Point A.", "Point B.", "Point C."))


@pytest.mark.parametrize(
    ("choices", "problem"),
    [
        (["left", "", "right"], "its choice B is empty"),
        (["left", "right", "left"], "its choice 'left' is there twice"),
        ([f"thing {number}" for number in range(27)], "it has 27 choices, at most 26"),
    ],
)
def test_choices_without_a_letter_each_are_refused(choices: list[str], problem: str, tmp_path: Path):
    with pytest.raises(RecordUnusableError, match=rf"row 2: {problem}"):
        changed(tmp_path, choices=choices, answer="A")


@pytest.mark.parametrize("answer", ["A", "(A)", "A."])
def test_lone_letter_is_the_answer_also_where_a_choice_is_that_letter(answer: str, tmp_path: Path):
    assert changed(tmp_path, choices=["A. B", "B. A"], answer=answer).questions[1].item.exact == "A"


@pytest.mark.parametrize("index", [4, -1, 0.5, "B"])
def test_number_of_a_choice_that_is_not_there_is_refused(index: object, tmp_path: Path):
    COPIES["omnispatial"].write(tmp_path, 1)
    file = next(tmp_path.rglob("data.json"))
    rows = json.loads(file.read_text("utf-8"))
    rows[0]["answer"] = index
    file.write_text(json.dumps(rows), "utf-8")
    with pytest.raises(RecordUnusableError, match=r"row 1: its answer .* is not the number of a choice"):
        load_dataset("omnispatial", tmp_path)


def test_absolute_path_in_a_row_is_refused_with_its_place(tmp_path: Path):
    write_picture(tmp_path / "secret.jpg", 0)
    with pytest.raises(RecordUnusableError, match=r"row 2: .*outside the folder"):
        changed(tmp_path / "copy", image_path=[str(tmp_path / "secret.jpg")])


def test_link_inside_the_folder_keeps_its_name_and_one_to_a_cache_is_refused_with_the_fix(tmp_path: Path):
    folder = tmp_path / "copy"
    folder.mkdir()
    for place in (folder, tmp_path):
        (place / "store").write_bytes(b"film")
    (folder / "v.mp4").symlink_to(folder / "store")
    (folder / "w.mp4").symlink_to(tmp_path / "store")
    assert file_inside("v.mp4", folder) == folder / "v.mp4"
    with pytest.raises(RecordUnusableError, match=r"w\.mp4 is a link .*`hf download --local-dir`"):
        file_inside("w.mp4", folder)
