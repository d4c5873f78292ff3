"""Faulty copies of public data sets: each fault is named when the set is read, before a model is paid."""

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from cli.evaluation.questions.sources import file_source
from cli.main import app
from local_stack.errors import UserError
from questions.imported.datasets.choices import inline_choices
from questions.imported.datasets.loader import Dataset, load_dataset
from questions.imported.fields import RecordUnusableError
from questions.imported.files import file_inside
from questions.imported.importer import import_questions
from questions.imported.parquet_files import parquet_records
from questions.media.images import SamplingOptions
from typer.testing import CliRunner

from tests.support.questions.dataset_copies import COPIES, write_table
from tests.support.questions.red_squares import write_picture, write_video


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


@pytest.mark.parametrize(
    ("name", "row", "answer"),
    [
        ("spar", 2, "move_sideways:1"),
        ("spar", 2, "to the right"),
        ("spar", 2, "move_right:nan"),
        ("spatialtree", 2, "bm8gcGljdHVyZQ=="),
    ],
)
def test_exact_answer_that_cannot_be_scored_is_refused_when_the_set_is_read(
    name: str, row: int, answer: str, tmp_path: Path
):
    COPIES[name].write(tmp_path, 3)
    file = next(tmp_path.rglob("*.parquet"))
    rows = list(parquet_records(file))
    write_table(file, [{**each, "answer": answer} if number == row else dict(each) for number, each in enumerate(rows)])
    with pytest.raises(RecordUnusableError, match=rf"row {row + 1}: its answer .* cannot be scored"):
        load_dataset(name, tmp_path)


def test_image_beside_a_video_is_shown_after_its_frames(tmp_path: Path):
    write_video(tmp_path / "v.mp4", 0)
    write_picture(tmp_path / "a.png", 0)
    (tmp_path / "set.jsonl").write_text('{"question": "?", "video": "v.mp4", "image": "a.png", "answer": 1}', "utf-8")
    [question] = import_questions(tmp_path / "set.jsonl")
    media = question.media(SamplingOptions(max_frames=3, max_images=3))
    assert (question.item.is_video, media.is_video, len(media.frames)) == (False, False, 3)
    assert media.notes.endswith("images 2 to 2 are not of a video")


def test_extracted_frames_leave_space_for_reference_images(tmp_path: Path):
    COPIES["mmsi-video"].write(tmp_path, 1)
    [first] = load_dataset("mmsi-video", tmp_path).questions
    assert len(first.media(SamplingOptions(max_frames=4, max_images=4)).frames) == 4


@pytest.mark.parametrize(
    ("ending", "problem"),
    [
        (b"a,b,c,d,e,f,g,h,i,j,k\n", "dsi, record 2 of hflip.csv has more cells"),
        (b"\xff\n", "dsi, hflip.csv cannot be read after record"),
    ],
)
def test_faulty_table_is_refused_with_set_file_and_row(ending: bytes, problem: str, tmp_path: Path):
    COPIES["dsi"].write(tmp_path, 1)
    file = tmp_path / "metadatas" / "hflip.csv"
    file.write_bytes(file.read_bytes() + ending)
    with pytest.raises(RecordUnusableError, match=re.escape(problem)):
        load_dataset("dsi", file)


def test_digest_of_one_file_is_that_of_its_bytes(tmp_path: Path):
    write_picture(tmp_path / "a.png", 0)
    (tmp_path / "set.jsonl").write_text('{"question": "?", "image": "a.png", "answer": 1}', "utf-8")
    digest = sha256((tmp_path / "set.jsonl").read_bytes()).hexdigest()
    assert file_source(tmp_path / "set.jsonl", SamplingOptions()).digest == digest


@pytest.mark.parametrize("option", ["--max-cost=1", "--film", "--certificates=x.jsonl"])
def test_option_of_benchmarks_is_refused_for_a_question_set(option: str):
    result = CliRunner().invoke(app, ["eval", "questions", option])
    assert isinstance(result.exception, UserError)
    assert f"{option.partition('=')[0]} is of benchmarks" in str(result.exception)
