"""Question sets of others."""

import json
from io import BytesIO
from pathlib import Path

import pyarrow as pa  # pyright: ignore[reportMissingTypeStubs] - it ships no types
import pyarrow.parquet as pq  # pyright: ignore[reportMissingTypeStubs] - it ships no types
import pytest
from PIL import Image
from questions.imported.fields import Record, RecordUnusableError
from questions.imported.importer import import_questions
from questions.imported.question import ImportedQuestion


def png() -> bytes:
    file = BytesIO()
    Image.new("RGB", (40, 30)).save(file, format="PNG")
    return file.getvalue()


def imported(folder: Path, *records: Record, name: str = "set") -> list[ImportedQuestion]:
    (folder / "a.png").write_bytes(png())
    (folder / "a.mp4").write_bytes(b"")
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records), "utf-8")
    return list(import_questions(path))


@pytest.mark.parametrize(
    ("record", "kind", "exact", "scorer"),
    [
        ({"options": ["A. left", "B. right"], "answer": "B"}, "choice", "B", "choice"),
        ({"options": {"A": "left", "B": "right"}, "ground_truth": "right"}, "choice", "B", "choice"),
        ({"candidates": '["left", "right"]', "answer_idx": 0}, "choice", "A", "choice"),
        ({"choices": "A. left\nB. right", "gt_answer": "(A)"}, "choice", "A", "choice"),
        ({"answer": "2.5", "unit": "m"}, "number", 2.5, "relative_accuracy"),
        ({"answer": 4}, "integer", 4, "relative_accuracy"),
        ({"answer": "Yes"}, "boolean", True, "exact"),
        ({"answer": "a red cup"}, "text", "a red cup", "exact"),
    ],
)
def test_common_fields_are_read(tmp_path: Path, record: Record, kind: str, exact: object, scorer: str):
    [question] = imported(tmp_path, {"id": 7, "question": "Where?", "image": "a.png", "category": "side", **record})
    item = question.item
    assert (item.id, item.kind, item.answer.kind, item.exact, item.scorer) == ("set-7", "side", kind, exact, scorer)
    if item.answer.kind == "choice":
        assert item.answer.choices == ("left", "right")
    assert len(question.media().frames) == 1


def test_video_sets_name_their_video(tmp_path: Path):
    [question] = imported(tmp_path, {"question": "When?", "video_path": "a.mp4", "answer": 1.5})
    assert question.item.is_video
    assert question.videos == (tmp_path / "a.mp4",)


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"image": "a.png", "answer": 1}, "record 1 of set.jsonl: it has no question"),
        ({"question": "?", "image": "a.png"}, "it has no answer"),
        ({"question": "?", "answer": 1}, "it has neither images nor a video"),
        ({"question": "?", "answer": 1, "image": "../secret.png"}, "outside the folder"),
        ({"question": "?", "answer": 1, "image": "b.png"}, "b.png does not exist"),
        ({"question": "?", "answer": "Q", "options": ["l", "r"], "image": "a.png"}, "not one of 2 choices"),
    ],
)
def test_unusable_record_is_refused_with_its_number(tmp_path: Path, record: Record, problem: str):
    with pytest.raises(RecordUnusableError, match=problem):
        imported(tmp_path, record)


def test_line_that_is_not_json_is_refused_with_its_number(tmp_path: Path):
    (tmp_path / "x.jsonl").write_text('\n{"question": \n', "utf-8")
    with pytest.raises(RecordUnusableError, match=r"line 2 of x\.jsonl is not JSON"):
        list(import_questions(tmp_path / "x.jsonl"))


def test_parquet_with_images_inside_is_read(tmp_path: Path):
    rows = [{"question": "?", "images": [{"bytes": png(), "path": "x.png"}], "options": ["l", "r"], "answer": "A"}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "blink.parquet")  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    [question] = import_questions(tmp_path / "blink.parquet")
    assert question.item.source == "blink"
    assert question.media().frames[0].width_px == 40
