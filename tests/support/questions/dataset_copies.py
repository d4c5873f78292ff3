"""Small copies of the public data sets in their exact layouts, with pictures of red squares: their truth is known."""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa  # pyright: ignore[reportMissingTypeStubs] - it ships no types
import pyarrow.parquet as pq  # pyright: ignore[reportMissingTypeStubs] - it ships no types

from tests.support.questions.red_squares import encoded, mask_of, squares, write_picture, write_video

Row = dict[str, Any]
Answer = Callable[[int], str]
"""From the number of a sample."""
WORDS = ("one", "two", "three", "four")


@dataclass(frozen=True)
class Copy:
    """How the copy of a data set is written, and what its first question has to be."""

    write: Callable[[Path, int], None]
    choices: tuple[str, ...]
    """Of the first question; none: it is a number."""


def letter(number: int) -> str:
    """Return the letter of the right choice of `WORDS`."""
    return "ABCD"[squares(number) - 1]


def write_table(path: Path, rows: Sequence[Row]) -> None:
    """Write rows as Parquet, a few in each group, as files of Hugging Face are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), path, row_group_size=3)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def write_json(path: Path, rows: Sequence[Row]) -> None:
    """Write rows as a list."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(list(rows)), "utf-8")


QUESTION = "How many red squares are there?"
LETTERED = tuple(f"{each}. {word}" for each, word in zip("ABCD", WORDS, strict=True))
INLINE = " ".join(LETTERED)
ONLY_LETTER = "Please answer directly with only the letter of the correct option and nothing else."


def _cell(number: int) -> Row:
    return {"bytes": encoded(number), "path": f"{number}.png"}


def _erqa(folder: Path, count: int) -> None:
    question = f"{QUESTION} Choices: {INLINE}. {ONLY_LETTER}"
    rows = [
        {"question_id": f"ERQA_{n}", "question": question, "question_type": "Multi-view Reasoning", "answer": letter(n),
         "images": [_cell(n)]}
        for n in range(count)
    ]  # fmt: skip
    write_table(folder / "data" / "test-00000-of-00001.parquet", rows)


def _omni3d(folder: Path, count: int) -> None:
    forms: list[tuple[str, Answer]] = [("int", str), ("float", lambda n: f"{n}.0"), ("str", lambda n: "yes")]
    rows: list[Row] = []
    for n in range(count):
        kind, answer = forms[n % 3]
        rows.append(
            {"image_index": f"{n}.jpg", "image": _cell(n), "q_index": n, "question": QUESTION, "answer_type": kind,
             "answer": answer(squares(n))}
        )  # fmt: skip
    write_table(folder / "data" / "train-00000-of-00001.parquet", rows)


def _omnispatial(folder: Path, count: int) -> None:
    rows: list[Row] = []
    for n in range(count):
        rows.append(
            {"id": f"{n}_0", "task_type": "Complex_Logic", "sub_task_type": "Geometric_Reasoning", "question": QUESTION,
             "options": list(WORDS), "answer": squares(n) - 1}
        )  # fmt: skip
        write_picture(folder / "OmniSpatial-test" / "Complex_Logic" / f"{n}.png", n)
    write_json(folder / "OmniSpatial-test" / "data.json", rows)


def _spbench(folder: Path, count: int) -> None:
    for form in ("SI", "MV"):
        rows: list[Row] = []
        for n in range(count):
            is_choice = n % 2 == 0
            rows.append(
                {"id": n, "dataset": "scannet", "scene_name": f"scene{n:04}_00", "question": QUESTION,
                 "question_type": "object_rel_distance" if is_choice else "object_counting",
                 "ground_truth": letter(n) if is_choice else str(squares(n)),
                 "options": list(LETTERED) if is_choice else None, "images": ["200.jpg"] * (1 if form == "SI" else 2)}
            )  # fmt: skip
            write_picture(folder / f"SPBench-{form}-images" / f"scene{n:04}_00" / "200.jpg", n)
        write_table(folder / f"SPBench-{form}.parquet", rows)


def _mindcube(folder: Path, count: int) -> None:
    lines: list[str] = []
    for n in range(count):
        image = f"other_all_image/around/{n}/front.jpg"
        row = {"id": f"around_group{n}_q0", "category": ["perpendicular"], "type": "2_frames", "images": [image, image],
               "question": f"Based on these images: {QUESTION} {INLINE}", "gt_answer": letter(n)}  # fmt: skip
        lines.append(json.dumps(row))
        write_picture(folder / "data" / image, n)
    (folder / "data" / "raw").mkdir(parents=True, exist_ok=True)
    (folder / "data" / "raw" / "MindCube_tinybench.jsonl").write_text("\n".join(lines), "utf-8")


def _mmsi(folder: Path, count: int) -> None:
    options = ", ".join(f"{each}: {word}" for each, word in zip("ABCD", WORDS, strict=True))
    rows = [
        {"id": n, "images": [encoded(n, "JPEG"), encoded(n, "JPEG")], "question_type": "Motion (Cam.)",
         "question": f"{QUESTION}\nOptions: {options}", "answer": letter(n), "thought": "", "difficulty": "easy"}
        for n in range(count)
    ]  # fmt: skip
    write_table(folder / "MMSI_Bench.parquet", rows)


def _spar(folder: Path, count: int) -> None:
    forms: list[tuple[str, Answer]] = [
        ("obj_spatial_relation_oo", letter),
        ("depth_prediction_oc", lambda n: f"{squares(n)}.0"),
        ("view_change_infer", lambda n: f"move_right:0.{squares(n)},rotate_left:20"),
    ]
    rows: list[Row] = []
    for n in range(count):
        task, answer = forms[n % 3]
        text = f"{QUESTION}\n" + "\n".join(LETTERED) if n % 3 == 0 else QUESTION
        rows.append({"id": f"spar_{n}", "image": [_cell(n)], "question": text, "answer": answer(n), "task": task})
    write_table(folder / "data" / "test-00000-of-00001.parquet", rows)


def _blink(folder: Path, count: int) -> None:
    rows = [
        {"idx": f"val_Counting_{n}", "sub_task": "Counting", "question": QUESTION, "prompt": f"{QUESTION} ({INLINE})",
         "choices": list(WORDS), "answer": f"({letter(n)})", "explanation": "", "image_1": _cell(n), "image_2": None,
         "image_3": None, "image_4": None}
        for n in range(count)
    ]  # fmt: skip
    write_table(folder / "Counting" / "val-00000-of-00001.parquet", rows)
    write_table(folder / "Counting" / "test-00000-of-00001.parquet", [{**rows[0], "answer": "hidden"}])


def _spatialtree(folder: Path, count: int) -> None:
    forms: list[tuple[str, str, Answer]] = [
        ("multichoiceeval", "multiple-choice", letter),
        ("meanrelativeacc", "open", lambda n: str(squares(n))),
        ("affmask", "open", mask_of),
        ("judge", "judge", lambda n: "yes"),
        ("gpteval", "open", lambda n: "a long description"),
    ]
    rows: list[Row] = []
    for n in range(count):
        metric, form, answer = forms[n % 5]
        extra = json.dumps({"metricfunc": metric, "spatree0": "L1", "spatree1": "Geometry", "spatree2": "Size"})
        has_video = n % 5 == 1
        rows.append(
            {"session_id": f"s{n}", "question": QUESTION, "question_type": form, "answer": answer(n), "hint": "",
             "option": list(LETTERED) if n % 5 == 0 else [], "image": [] if has_video else [f"images/{n}.jpg"],
             "video": [f"videos/{n}.mp4"] if has_video else [], "extra_info": extra}
        )  # fmt: skip
        if has_video:
            write_video(folder / "videos" / f"{n}.mp4", n)
        else:
            write_picture(folder / "images" / f"{n}.jpg", n)
    write_table(folder / "annotations_plain.parquet", rows)


def _viewspatial(folder: Path, count: int) -> None:
    rows: list[Row] = []
    for n in range(count):
        image = f"scannetv2_val/scene{n:04}/original_images/0.jpg"
        rows.append(
            {"question_type": "Camera perspective - Relative Direction", "image_path": [f"ViewSpatial-Bench/{image}"],
             "question": QUESTION, "choices": "\n".join(LETTERED), "answer": LETTERED[squares(n) - 1]}
        )  # fmt: skip
        write_picture(folder / image, n)
    write_json(folder / "ViewSpatial-Bench.json", rows)


def _vsi(file: str) -> Callable[[Path, int], None]:
    def write(folder: Path, count: int) -> None:
        rows: list[Row] = []
        for n in range(count):
            is_choice = n % 2 == 1
            rows.append(
                {"id": n, "dataset": "arkitscenes", "scene_name": str(41_000_000 + n), "question": QUESTION,
                 "question_type": "object_rel_distance" if is_choice else "object_counting",
                 "ground_truth": letter(n) if is_choice else str(squares(n)),
                 "options": list(LETTERED) if is_choice else None}
            )  # fmt: skip
            write_video(folder / "arkitscenes" / f"{41_000_000 + n}.mp4", n)
        write_table(folder / file, rows)

    return write


def _mmsi_video(folder: Path, count: int) -> None:
    rows: list[Row] = []
    for n in range(count):
        frames = [[f"{n}_{clip}/00:0{index}.00_frame_1.00_{index}.jpg" for index in range(3)] for clip in range(2)]
        for name in chain.from_iterable(frames):
            write_picture(folder / "frames" / name, n)
        write_picture(folder / "ref_images" / f"{n}.jpg", n)
        rows.append(
            {"id": f"q_{n}", "type": "(Motion Understanding) Camera Motion", "ref_images": [f"{n}.jpg"],
             "frames_list": frames, "video_list": [{"path": f"{n}.mp4", "start": 0, "end": 3, "base_fps": 1.0}],
             "system_prompt": "", "task_prompt": "", "format_prompt": "Answer with a letter.",
             "user_prompt": f"<video>\n<image> {QUESTION}\nOptions:\n" + "\n".join(LETTERED), "ground_truth": letter(n)}
        )  # fmt: skip
    write_json(folder / "mmsivideo.json", rows)


def _osi(folder: Path, count: int) -> None:
    forms: list[tuple[str, Answer]] = [
        ("relative_distance", letter),
        ("absolute_speed", lambda n: "0"),
        ("trajectory_length", lambda n: "12.5"),
    ]
    rows: list[Row] = []
    for n in range(count):
        category, answer = forms[n % 3]
        rows.append(
            {"index": n, "video": f"v{n}", "file_name": f"v{n}.mp4", "category": category, "question": QUESTION,
             "question_type": "mcq" if n % 3 == 0 else "numerical", "answer": answer(n), "video_length": 1.0,
             "options": list(LETTERED) if n % 3 == 0 else []}
        )  # fmt: skip
        write_video(folder / "videos" / f"v{n}.mp4", n)
    write_table(folder / "data.parquet", rows)


def _pai(folder: Path, count: int) -> None:
    rows: list[Row] = []
    for n in range(count):
        options = dict(zip("ABCD", WORDS, strict=True))
        rows.append(
            {"question": f"{QUESTION} {ONLY_LETTER}", "index2ans": options, "answer": letter(n),
             "video_path": f"videos/av/{n}.mp4", "category": "Common Sense", "subcategory": "Space"}
        )  # fmt: skip
        write_video(folder / "videos" / "av" / f"{n}.mp4", n)
    write_table(folder / "data" / "test-00000-of-00001.parquet", rows)


def _vsti(folder: Path, count: int) -> None:
    rows: list[Row] = []
    for n in range(count):
        is_choice = n % 2 == 0
        rows.append(
            {"id": n, "scene_name": f"scene{n:04}_00", "video_path": f"scannet/scene{n:04}_00.mp4",
             "question": QUESTION, "question_type": "obj_obj_relative_pos_lr" if is_choice else "camera_displacement",
             "options": list(LETTERED) if is_choice else [], "mc_answer": letter(n) if is_choice else None,
             "ground_truth": WORDS[squares(n) - 1] if is_choice else squares(n) + 0.5}
        )  # fmt: skip
        write_video(folder / "scannet" / f"scene{n:04}_00.mp4", n)
    write_json(folder / "test.json", rows)


def _dsi(folder: Path, count: int) -> None:
    options = "; ".join(f"{each}: {word}" for each, word in zip("ABCD", WORDS, strict=True))
    for form in ("std", "hflip", "reverse", "reverse_hflip", "metadata_4aug"):
        rows = [
            {"cate": n % 6, "relative_path": f"CameraBench/{n}.mp4", "video_type": 0, "question": QUESTION,
             "options": options, "GT": letter(n), "others": ""}
            for n in range(count)
        ]  # fmt: skip
        file = folder / "metadatas" / f"{form}.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="utf-8", newline="") as lines:
            writer = csv.DictWriter(lines, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        for n in range(count):
            write_video(folder / "videos" / form / "CameraBench" / f"{n}.mp4", n)


def _cvbench(folder: Path, count: int) -> None:
    rows: list[Row] = []
    for n in range(count):
        is_choice = n % 2 == 0
        rows.append(
            {"id": n, "task_type": "Joint-video Counting", "video_1": f"{n}/a.mp4", "video_2": f"{n}/b.mp4",
             "video_3": None, "video_4": None, "question": QUESTION, "answer": letter(n) if is_choice else "Yes",
             "options": list(LETTERED) if is_choice else ["Yes.", "No."]}
        )  # fmt: skip
        for name in ("a", "b"):
            write_video(folder / "CVBench" / str(n) / f"{name}.mp4", n)
    write_table(folder / "data" / "test-00000-of-00001.parquet", rows)


def _perceptioncomp(folder: Path, count: int) -> None:
    rows: list[Row] = []
    for n in range(count):
        choices = {f"answer_choice_{index}": word for index, word in enumerate((*WORDS, "five"))}
        rows.append(
            {"key": f"k{n}", "video_id": f"Monaco_{n}", "question": QUESTION, **choices, "answer_id": squares(n) - 1,
             "answer": WORDS[squares(n) - 1], "category": "outdoor tour", "difficulty": 1}
        )  # fmt: skip
        write_video(folder / "data" / f"Monaco_{n}.mp4", n)
    write_json(folder / "questions.json", rows)


def _video_mme(folder: Path, count: int) -> None:
    rows: list[Row] = []
    for n in range(count):
        rows.append(
            {"video_id": f"{n:03}", "duration": "short", "domain": "Knowledge", "sub_category": "Geography", "url": "",
             "videoID": f"yt{n}", "question_id": f"{n:03}-1", "task_type": "Counting Problem", "question": QUESTION,
             "options": list(LETTERED), "answer": letter(n)}
        )  # fmt: skip
        write_video(folder / "data" / f"yt{n}.mp4", n)
    write_table(folder / "videomme" / "test-00000-of-00001.parquet", rows)


def _video_mme_v2(folder: Path, count: int) -> None:
    rows: list[Row] = []
    for n in range(count):
        rows.append(
            {"video_id": f"{n:03}", "question_id": f"{n:03}-1", "question": QUESTION, "options": "\n".join(LETTERED),
             "answer": letter(n), "group_type": "relevance", "group_structure": "[1, 2, 3, 4]", "level": "Level 1"}
        )  # fmt: skip
        write_video(folder / "video" / f"{n:03}.mp4", n)
    write_table(folder / "test.parquet", rows)


COPIES: Mapping[str, Copy] = {
    "erqa": Copy(_erqa, WORDS),
    "omni3d": Copy(_omni3d, ()),
    "omnispatial": Copy(_omnispatial, WORDS),
    "spbench": Copy(_spbench, WORDS),
    "mindcube": Copy(_mindcube, WORDS),
    "mmsi": Copy(_mmsi, WORDS),
    "spar": Copy(_spar, WORDS),
    "blink": Copy(_blink, WORDS),
    "spatialtree": Copy(_spatialtree, WORDS),
    "viewspatial": Copy(_viewspatial, WORDS),
    "vsi-bench": Copy(_vsi("test-00000-of-00001.parquet"), ()),
    "mmsi-video": Copy(_mmsi_video, WORDS),
    "osi": Copy(_osi, WORDS),
    "pai": Copy(_pai, WORDS),
    "vsi-bench-u": Copy(_vsi("test_debiased.parquet"), ()),
    "vsti": Copy(_vsti, WORDS),
    "dsi": Copy(_dsi, WORDS),
    "cvbench": Copy(_cvbench, WORDS),
    "perceptioncomp": Copy(_perceptioncomp, (*WORDS, "five")),
    "video-mme": Copy(_video_mme, WORDS),
    "video-mme-v2": Copy(_video_mme_v2, WORDS),
}
"""By name of the data set. In all of them the first question is `QUESTION` about picture 0, which has one square."""
