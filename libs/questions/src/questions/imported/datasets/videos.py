"""Data sets about videos."""

from dataclasses import replace

from questions.imported.datasets.images import LETTER_ONLY
from questions.imported.datasets.layout import CHOICE, COUNT, NUMBER, DatasetLayout, kinds_of, stationary_below

DSI_KINDS = (
    "Obj:static cam",
    "Obj:moving cam",
    "Cam:static scene",
    "Cam:dynamic scene",
    "Obj-Cam distance",
    "Obj-Cam orientation",
)
VSI_BENCH = DatasetLayout(
    name="vsi-bench",
    title="VSI-Bench",
    source="nyu-visionx/VSI-Bench",
    licence="Apache-2.0",
    files=("test-*.parquet", "test.jsonl"),
    paths=("{dataset}/{scene_name}.mp4",),
    answers=kinds_of(
        {
            CHOICE: "object_rel_direction_easy object_rel_direction_medium object_rel_direction_hard "
            "object_rel_distance route_planning obj_appearance_order",
            NUMBER: "object_abs_distance object_size_estimation room_size_estimation",
            COUNT: "object_counting",
        }
    ),
    answer=("ground_truth",),
    unpack="arkitscenes.zip, scannet.zip and scannetpp.zip",
    notes="the authors' total is the mean of the kinds, with the three of object_rel_direction as one",
)
FOUR_DIMENSIONAL = (
    DatasetLayout(
        name="mmsi-video",
        title="MMSI-Video-Bench",
        source="rbler/MMSI-Video-Bench",
        licence="CC-BY-4.0 (of a copy on its format)",
        files=("mmsivideo.json",),
        paths=("frames/{frames_list}", "ref_images/{ref_images}"),
        frames="frames_list",
        question="user_prompt",
        answer=("ground_truth",),
        kind="type",
        choices=None,
        unpack="frames.zip and ref_images.zip",
        notes="how choices are written in user_prompt was not checked; frames are those that the authors extracted",
    ),
    DatasetLayout(
        name="osi",
        title="OSI-Bench",
        source="HarmlessSR07/OSI-Bench",
        files=("data.parquet",),
        paths=("videos/{file_name}", "{file_name}"),
        answers=kinds_of(
            {
                CHOICE: "relative_distance relative_direction_categorical relative_direction_categorical_cardinal "
                "relative_direction_categorical_ordinal trajectory_description",
                NUMBER: "absolute_distance relative_direction_angular object_3d_localization",
                COUNT: "depth_aware_counting",
                stationary_below(0.3): "absolute_speed absolute_displacement",
                stationary_below(2.0): "trajectory_length",
            }
        ),
        identity=("index",),
        kind="category",
        unpack="videos_part1.zip to videos_part4.zip",
    ),
    DatasetLayout(
        name="pai",
        title="PAI-Bench, understanding",
        source="shi-labs/physical-ai-bench-understanding",
        files=("data/test-*.parquet", "test-*.parquet"),
        paths=("{video_path}", "videos/{video_path}"),
        identity=(),
        kind="subcategory",
        choices=("index2ans",),
        removed=LETTER_ONLY,
    ),
    replace(VSI_BENCH, name="vsi-bench-u", title="VSI-Bench-U (debiased)", files=("test_debiased.parquet",)),
    DatasetLayout(
        name="vsti",
        title="VSTI-Bench",
        source="Journey9ni/vstibench",
        files=("test.json", "test-*.parquet"),
        paths=("{video_path}", "videos/{video_path}"),
        answers=kinds_of(
            {
                CHOICE: "camera_movement_direction camera_obj_rel_dist_v1 camera_obj_rel_dist_v2 "
                "camera_obj_rel_dist_v3 obj_obj_relative_pos_lr obj_obj_relative_pos_nf obj_obj_relative_pos_ud",
                NUMBER: "camera_displacement camera_obj_abs_dist camera_obj_dist_change",
            }
        ),
        answer=("mc_answer", "ground_truth"),
        notes="labels changed on 2026-07-13: older results do not compare; the authors' total is the mean of the kinds",
    ),
    DatasetLayout(
        name="dsi",
        title="DSI-Bench",
        source="Viglong/DSI-Bench",
        licence="CC-BY-4.0",
        files=("metadatas/[!m]*.csv",),
        paths=("videos/{stem}/{relative_path}",),
        answer=("GT",),
        identity=(),
        kind="cate",
        kinds={str(number): kind for number, kind in enumerate(DSI_KINDS)},
        notes="by sample; the authors also count a question only if 3 of its 4 mirrored or reversed forms are right",
    ),
)
GENERAL_VIDEO = (
    DatasetLayout(
        name="cvbench",
        title="CVBench (cross-video)",
        source="Dongyh35/CVBench",
        files=("data/test-*.parquet", "test-*.parquet"),
        paths=tuple(f"{folder}{{video_{number}}}" for folder in ("videos/", "CVBench/", "") for number in range(1, 5)),
        kind="task_type",
        unpack="CVBench.zip",
        notes="not CV-Bench of nyu-visionx, which asks about images; frames of the videos are shared out evenly",
    ),
    DatasetLayout(
        name="perceptioncomp",
        title="PerceptionComp",
        source="hrinnnn/PerceptionComp",
        licence="PerceptionComp research licence",
        files=("questions.json",),
        paths=tuple(
            f"{folder}/{{video_id}}.{form}" for folder in ("data", "videos") for form in ("mp4", "mkv", "webm")
        ),
        answer=("answer_id",),
        identity=("key",),
        kind="category",
        choices=tuple(f"answer_choice_{number}" for number in range(6)),
        is_index=True,
    ),
    DatasetLayout(
        name="video-mme",
        title="Video-MME",
        source="lmms-lab/Video-MME",
        files=("videomme/test-*.parquet", "test-*.parquet"),
        paths=("data/{videoID}.mp4", "data/{videoID}.MP4", "data/{videoID}.mkv"),
        identity=("question_id",),
        kind="task_type",
        unpack="videos_chunked_*.zip",
        notes="without subtitles",
    ),
    DatasetLayout(
        name="video-mme-v2",
        title="Video-MME-v2",
        source="MME-Benchmarks/Video-MME-v2",
        files=("test.parquet",),
        paths=("video/{video_id}.mp4", "{video_id}.mp4"),
        identity=("video_id", "question_id"),
        kind="level",
        notes="by question; the authors' total also weighs groups of four; without subtitles",
    ),
)
