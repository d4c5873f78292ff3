"""The public data sets: each is read from a copy in its layout, and scored as its authors do."""

import json
from pathlib import Path
from typing import Any

import pytest
from contracts.models.questions.answers import Value
from questions.imported.datasets.catalog import DATASETS
from questions.imported.datasets.choices import inline_choices
from questions.imported.datasets.loader import Dataset, load_dataset
from questions.imported.fields import RecordUnusableError
from questions.media.images import MediaUnreadableError, SamplingOptions
from questions.scorers import score

from tests.support.questions.dataset_copies import COPIES, QUESTION, write_table
from tests.support.questions.red_squares import SIZE, write_picture, write_video

SAMPLES = 2


def copied(name: str, folder: Path, count: int = SAMPLES) -> Dataset:
    COPIES[name].write(folder, count)
    return load_dataset(name, folder)


def scores_of(dataset: Dataset, given: Value) -> list[float]:
    return [score(each.item, given) for each in dataset.questions]


def test_all_twenty_of_the_paper_and_the_full_vsi_bench_have_a_layout_and_a_copy():
    assert len(DATASETS) == 21
    assert set(COPIES) == set(DATASETS)


def test_page_names_each_set_with_its_source_and_what_could_not_be_checked():
    page = Path("docs/datasets.md").read_text("utf-8")
    for each in DATASETS.values():
        assert f"`--questions {each.name}`\n- Source `{each.source}`; licence: {each.licence}\n" in page
        assert not each.notes or f"- Note: {each.notes}\n" in page


@pytest.mark.parametrize("name", list(COPIES))
def test_copy_in_the_exact_layout_is_read_with_its_media_and_its_exact_answer_scores(name: str, tmp_path: Path):
    dataset = copied(name, tmp_path)
    assert len(dataset.questions) >= SAMPLES
    assert len({each.item.id for each in dataset.questions}) == len(dataset.questions)
    for each in dataset.questions:
        assert QUESTION in each.item.text
        assert "B." not in each.item.text
        assert score(each.item, each.item.exact) == 1.0
        assert (each.item.source, each.item.kind != "") == (name, True)
    first = dataset.questions[0]
    choices = first.item.answer.choices if first.item.answer.kind == "choice" else ()
    assert tuple(each.rstrip(".") for each in choices) == COPIES[name].choices
    assert first.item.exact == ("A" if choices else 1)
    media = first.media(SamplingOptions(max_frames=4, max_edge_px=48))
    assert media.is_video == first.item.is_video
    assert 1 <= len(media.frames) <= 5
    assert {(frame.width_px, frame.height_px) for frame in media.frames} == {(SIZE[0] // 2, SIZE[1] // 2)}


def test_numbers_of_vsi_bench_are_scored_by_ten_thresholds(tmp_path: Path):
    count = copied("vsi-bench", tmp_path, 4).questions[2].item
    assert (count.kind, count.exact) == ("object_counting", 3)
    assert [score(count, given) for given in (3, 2, 4, 6)] == [1.0, 0.4, 0.4, 0.0]


def test_counts_of_omni3d_are_exact_and_its_lengths_relative(tmp_path: Path):
    count, length, truth = (each.item for each in copied("omni3d", tmp_path, 3).questions)
    assert [score(count, given) for given in (1, 2)] == [1.0, 0.0]
    assert [score(length, given) for given in (2.0, 2.2, 1.0)] == [1.0, 0.9, 0.1]
    assert (truth.answer.kind, score(truth, True), score(truth, False)) == ("boolean", 1.0, 0.0)


def test_standing_still_in_osi_bench_is_any_speed_below_its_limit(tmp_path: Path):
    _, speed, length = (each.item for each in copied("osi", tmp_path, 3).questions)
    assert [score(speed, given) for given in (0.0, 0.29, -0.36, 0.5, -50)] == [1.0, 1.0, 0.7, 0.0, 0.0]
    assert (length.stationary_below, score(length, 12.5)) == (2.0, 1.0)


def test_motion_of_the_camera_in_spar_is_the_mean_of_five_axes(tmp_path: Path):
    motion = copied("spar", tmp_path, 3).questions[2].item
    assert motion.exact == "move_right:0.3,rotate_left:20"
    assert score(motion, "rotate_left:20,move_right:0.3") == 1.0
    assert score(motion, "move_left:0.3,rotate_left:20") == 0.8
    assert score(motion, "to the right") == 0.0


def test_point_in_spatialtree_is_looked_up_in_the_mask_and_what_needs_a_judge_is_left_out(tmp_path: Path):
    dataset = copied("spatialtree", tmp_path, 5)
    point = dataset.questions[2].item
    assert (len(dataset.questions), dataset.left_out) == (4, 1)
    inside, outside = (11 / (SIZE[0] - 1), 31 / (SIZE[1] - 1)), (0.9, 0.9)
    assert [score(point, given) for given in (inside, outside)] == [1.0, 0.0]


def test_frames_of_several_videos_are_shared_out_and_named(tmp_path: Path):
    first = copied("cvbench", tmp_path).questions[0]
    media = first.media(SamplingOptions(max_frames=8))
    assert (len(media.frames), media.is_video) == (8, False)
    assert media.notes == "images 0 to 3 are video 1, 0 to 0.8 s; images 4 to 7 are video 2, 0 to 0.8 s"


def test_extracted_frames_are_sampled_and_reference_images_are_kept(tmp_path: Path):
    first = copied("mmsi-video", tmp_path).questions[0]
    assert len(first.media(SamplingOptions(max_frames=4)).frames) == 4 + 1


def test_one_annotation_file_is_enough_to_name_a_part_of_a_set(tmp_path: Path):
    COPIES["dsi"].write(tmp_path, 1)
    dataset = load_dataset("dsi", tmp_path / "metadatas" / "hflip.csv")
    assert [each.videos[0].parent.parent.name for each in dataset.questions] == ["hflip"]


def broken(name: str, folder: Path, **changed: Any) -> None:
    """Write a copy of `viewspatial` with other fields in its second row."""
    COPIES[name].write(folder, SAMPLES)
    file = folder / "ViewSpatial-Bench.json"
    rows = json.loads(file.read_text("utf-8"))
    rows[1] = {key: value for key, value in {**rows[1], **changed}.items() if value is not None}
    file.write_text(json.dumps(rows), "utf-8")


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (
            {"image_path": ["ViewSpatial-Bench/none.jpg"]},
            r"none\.jpg does not exist; unpack scannetv2_val\.zip and val2017",
        ),
        ({"image_path": ["../none.jpg"]}, "none.jpg does not exist"),
        ({"image_path": []}, "it names no image and no video; its columns are question_type"),
        ({"question": None}, "it has no column question, but question_type, .*; download the annotations of lidingm"),
        ({"choices": ""}, "it has 0 choices in column choices; two or more are needed"),
        ({"answer": ""}, "it has no answer; use the split that has answers"),
        ({"answer": "Q"}, "its answer 'Q' is not one of 4 choices"),
    ],
)
def test_unusable_row_is_refused_with_set_file_row_and_fix(changed: dict[str, Any], problem: str, tmp_path: Path):
    broken("viewspatial", tmp_path, **changed)
    with pytest.raises(RecordUnusableError, match=rf"^viewspatial, ViewSpatial-Bench\.json, row 2: .*{problem}"):
        load_dataset("viewspatial", tmp_path)


def test_file_outside_of_the_copy_is_not_read(tmp_path: Path):
    write_picture(tmp_path / "secret.jpg", 0)
    broken("viewspatial", tmp_path / "copy", image_path=["../secret.jpg"])
    with pytest.raises(RecordUnusableError, match=r"row 2: .*outside the folder"):
        load_dataset("viewspatial", tmp_path / "copy")


def test_unknown_kind_of_answer_is_refused_with_the_known_ones(tmp_path: Path):
    row = {"dataset": "a", "scene_name": "s", "question": "?", "question_type": "smell", "ground_truth": "1"}
    write_table(tmp_path / "test_debiased.parquet", [row])
    with pytest.raises(RecordUnusableError, match=r"row 1: question_type 'smell' is not one of object_rel_direction"):
        load_dataset("vsi-bench-u", tmp_path)


def test_missing_annotations_and_columns_are_named(tmp_path: Path):
    with pytest.raises(RecordUnusableError, match=r"erqa: .* has no data/test-\*\.parquet or .*FlagEval/ERQA"):
        load_dataset("erqa", tmp_path)
    write_table(tmp_path / "test-0.parquet", [{"question": "?"}])
    with pytest.raises(RecordUnusableError, match=r"erqa, test-0\.parquet: it has no column images, but question"):
        load_dataset("erqa", tmp_path)
    (tmp_path / "test-0.parquet").write_bytes(b"PAR1 cut off")
    with pytest.raises(RecordUnusableError, match=r"test-0\.parquet cannot be read as Parquet .*download it again"):
        load_dataset("erqa", tmp_path)
    with pytest.raises(RecordUnusableError, match="'smell' is not a known data set; known ones are erqa, omni3d"):
        load_dataset("smell", tmp_path)


def test_broken_picture_and_video_are_refused_by_name(tmp_path: Path):
    first = copied("omnispatial", tmp_path).questions[0]
    (tmp_path / "OmniSpatial-test" / "Complex_Logic" / "0.png").write_bytes(b"no picture")
    with pytest.raises(MediaUnreadableError, match=r"0\.png is not a PNG"):
        first.media()
    write_video(tmp_path / "v" / "videos" / "v0.mp4", 0)
    clip = copied("osi", tmp_path / "v").questions[0]
    (tmp_path / "v" / "videos" / "v0.mp4").write_bytes(b"no video")
    with pytest.raises(MediaUnreadableError, match=r"v0\.mp4 cannot be read as a video"):
        clip.media()


@pytest.mark.parametrize(
    ("text", "stem", "choices"),
    [
        ("Where is it? Options: A: left, B: right", "Where is it?", ("left", "right")),
        ("Is A. Smith near? A. yes B. no", "Is A. Smith near?", ("yes", "no")),
        ("Where?\nA. left; or so\nB. right", "Where?", ("left; or so", "right")),
        ("Which? (A) one (B) two", "Which?", ("one", "two")),
        ("How far?", "How far?", ()),
    ],
)
def test_choices_in_a_question_are_split_off(text: str, stem: str, choices: tuple[str, ...]):
    assert inline_choices(text) == (stem, choices)
