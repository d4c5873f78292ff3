"""Data sets about one image or several."""

from questions.imported.datasets.layout import (
    CHOICE,
    COUNT,
    EXACT_COUNT,
    NUMBER,
    NUMBER_OR_ABSOLUTE,
    POINT,
    TEXT,
    VIEW_CHANGE,
    DatasetLayout,
    kinds_of,
)
from questions.imported.datasets.preparation import with_image_number, with_metric, with_setting

LETTER_ONLY = "Please answer directly with only the letter of the correct option and nothing else."

SINGLE_IMAGE = (
    DatasetLayout(
        name="erqa",
        title="ERQA",
        source="FlagEval/ERQA",
        files=("data/test-*.parquet", "test-*.parquet"),
        embedded=("images",),
        identity=("question_id",),
        choices=None,
        removed=LETTER_ONLY,
    ),
    DatasetLayout(
        name="omni3d",
        title="Omni3D-Bench",
        source="dmarsili/Omni3D-Bench",
        licence="CC-BY-NC-4.0",
        files=("data/train-*.parquet", "train-*.parquet"),
        embedded=("image",),
        answers={"int": EXACT_COUNT, "float": NUMBER, "str": TEXT},
        identity=("q_index",),
        kind="answer_type",
        choices=(),
        notes="the authors' thresholds exclude an error that is exactly on them, ours include it",
    ),
    DatasetLayout(
        name="omnispatial",
        title="OmniSpatial",
        source="qizekun/OmniSpatial",
        files=("OmniSpatial-test/data.json", "data.json"),
        paths=("{task_type}/{image_number}.png", "{task_type}/{image_number}.jpg"),
        kind="sub_task_type",
        is_index=True,
        prepare=with_image_number,
        unpack="OmniSpatial-test.zip",
    ),
    DatasetLayout(
        name="spbench",
        title="SPBench",
        source="hongxingli/SPBench",
        files=("SPBench-*.parquet",),
        paths=("{stem}-images/{scene_name}/{images}", "{scene_name}/{images}"),
        answers=kinds_of(
            {
                CHOICE: "object_rel_direction object_rel_direction_easy object_rel_direction_medium "
                "object_rel_direction_hard object_rel_distance",
                NUMBER: "object_abs_distance object_size_estimation",
                COUNT: "object_counting",
            }
        ),
        answer=("ground_truth",),
        identity=("{stem}", "id"),
        unpack="SPBench-SI-images.zip and SPBench-MV-images.zip",
    ),
)
MULTI_VIEW = (
    DatasetLayout(
        name="mindcube",
        title="MindCube",
        source="MLL-Lab/MindCube",
        licence="MIT",
        files=("data/raw/MindCube.jsonl", "raw/MindCube.jsonl", "data/raw/MindCube_tinybench.jsonl"),
        paths=("{images}",),
        answer=("gt_answer",),
        kind="setting",
        choices=None,
        prepare=with_setting,
        unpack="data.zip",
        notes="the authors leave questions of the kind `translation` out of the total",
    ),
    DatasetLayout(
        name="mmsi",
        title="MMSI-Bench",
        source="RunsenXu/MMSI-Bench",
        licence="CC-BY-4.0",
        files=("MMSI_Bench.parquet",),
        embedded=("images",),
        choices=None,
    ),
    DatasetLayout(
        name="spar",
        title="SPAR-Bench",
        source="jasonzhango/SPAR-Bench",
        files=("data/test-*.parquet", "test-*.parquet"),
        embedded=("image",),
        answers=kinds_of(
            {
                CHOICE: "obj_spatial_relation_oo obj_spatial_relation_oc_mv obj_spatial_relation_oo_mv "
                "spatial_imagination_oc spatial_imagination_oo spatial_imagination_oc_mv spatial_imagination_oo_mv "
                "position_matching camera_motion_infer distance_infer_center_oo distance_infer_center_oo_mv",
                NUMBER_OR_ABSOLUTE: "depth_prediction_oc depth_prediction_oo depth_prediction_oc_mv "
                "depth_prediction_oo_mv distance_prediction_oc distance_prediction_oo distance_prediction_oc_mv "
                "distance_prediction_oo_mv",
                VIEW_CHANGE: "view_change_infer",
            }
        ),
        kind="task",
        choices=None,
        notes="how choices are written in the question was not checked; a question without them is an error",
    ),
)
GENERAL = (
    DatasetLayout(
        name="blink",
        title="BLINK",
        source="BLINK-Benchmark/BLINK",
        files=("*/val-*.parquet",),
        embedded=("image_1", "image_2", "image_3", "image_4"),
        identity=("idx",),
        kind="sub_task",
        choices=("choices",),
        notes="only `val` has answers; the authors' total is the mean of the kinds",
    ),
    DatasetLayout(
        name="spatialtree",
        title="SpatialTree-Bench",
        source="LongfeiLi/SpatialTree-Bench",
        files=("annotations_plain.parquet",),
        paths=("{video}", "{image}"),
        answers=kinds_of(
            {
                CHOICE: "multichoiceeval",
                NUMBER: "meanrelativeacc",
                TEXT: "judge",
                POINT: "affmask",
                None: "gpteval cogmapeval gravityeval manipulateeval agenticnaveval",
            }
        ),
        identity=("session_id",),
        kind="ability",
        answer_kind="metric",
        choices=("option",),
        prepare=with_metric,
        unpack="the archives of images and videos",
        notes="frames are sampled evenly from all of a video; the authors' total is weighted by the tree of abilities",
    ),
    DatasetLayout(
        name="viewspatial",
        title="ViewSpatial-Bench",
        source="lidingm/ViewSpatial-Bench",
        licence="Apache-2.0",
        files=("ViewSpatial-Bench.json",),
        paths=("{image_path}",),
        identity=(),
        choices=("choices",),
        path_prefix="ViewSpatial-Bench/",
        unpack="scannetv2_val.zip and val2017.zip",
    ),
)
