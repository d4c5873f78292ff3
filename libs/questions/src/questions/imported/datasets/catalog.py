"""The public data sets by name: the twenty of the paper, and VSI-Bench as it was before it was debiased."""

from collections.abc import Mapping

from questions.imported.datasets.images import GENERAL, MULTI_VIEW, SINGLE_IMAGE
from questions.imported.datasets.layout import DatasetLayout
from questions.imported.datasets.videos import FOUR_DIMENSIONAL, GENERAL_VIDEO, VSI_BENCH

DATASETS: Mapping[str, DatasetLayout] = {
    each.name: each for each in (*SINGLE_IMAGE, *MULTI_VIEW, *GENERAL, VSI_BENCH, *FOUR_DIMENSIONAL, *GENERAL_VIDEO)
}
