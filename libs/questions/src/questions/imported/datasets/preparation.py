"""Columns that records of some data sets have only by the form of others."""

import json
from collections.abc import Mapping
from typing import Any, cast

from questions.imported.fields import Record, RecordUnusableError

MINDCUBE_SETTINGS = ("around", "rotation", "translation", "among")


def with_image_number(record: Record) -> Record:
    """Add the number of the image: ids of OmniSpatial are `IMAGE_QUESTION`."""
    return {**record, "image_number": str(record.get("id", "")).partition("_")[0]}


def with_setting(record: Record) -> Record:
    """Add the setting that the id of a MindCube question names."""
    identity = str(record.get("id", "")).casefold()
    return {**record, "setting": next((each for each in MINDCUBE_SETTINGS if each in identity), "other")}


def with_metric(record: Record) -> Record:
    """Add level, ability and metric, which SpatialTree has as JSON in `extra_info`."""
    text = record.get("extra_info")
    try:
        extra: Any = json.loads(text) if isinstance(text, str) else text
    except json.JSONDecodeError as error:
        raise RecordUnusableError(f"its extra_info is not JSON ({error}); download the file again") from error
    if not isinstance(extra, Mapping):
        raise RecordUnusableError("its extra_info is not an object; download the file again")
    known = cast("Mapping[str, Any]", extra)
    metric = str(known.get("metricfunc", ""))
    if metric == "multichoiceeval" and record.get("question_type") == "open":
        metric = "meanrelativeacc"
    levels = "/".join(str(known[each]) for each in ("spatree0", "spatree1", "spatree2") if known.get(each))
    return {**record, "ability": levels or "unknown", "metric": metric}
