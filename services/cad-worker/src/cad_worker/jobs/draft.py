"""Job that reads the texts of a benchmark: YAML of an author may take any time and memory to parse."""

from benchmarks.author_texts import read_texts, variants_of
from benchmarks.loader import BenchmarkError

from cad_worker.job_protocol import DraftTexts, DraftVariants

MAX_FAULTS = 20


def read_draft(request: DraftTexts) -> DraftVariants:
    """Return the worlds of the seeds, or what is wrong with the texts."""
    try:
        file = read_texts(request.files, request.level)
        variants = variants_of(request.files, file, request.seeds)
    except BenchmarkError as error:
        return DraftVariants(faults=tuple(f"{error.where}: {fault}" for fault in error.faults[:MAX_FAULTS]))
    return DraftVariants(variants=variants, limits=file.limits)
