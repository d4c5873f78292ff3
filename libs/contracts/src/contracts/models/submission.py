"""The two ways to end a cell for good: a design is handed in, or the plan is refused."""

from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256


class Submission(Model):
    """`submit_for_review(assembly)` ended the cell: what the kernel claims, to be checked by others."""

    digest: Sha256
    files: ArtifactRef
    """Zip of the workspace's own files, script.py among them."""


class Refusal(Model):
    """`refuse_plan(proof)` ended the cell."""

    proof: str
