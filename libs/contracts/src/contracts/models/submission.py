"""The two calls that end an engineer's work: submitting a design and refusing the plan."""

from contracts.model import Model
from contracts.models.artifact import ArtifactRef, Sha256


class Submission(Model):
    """`submit_for_review(assembly)` ended the cell. The kernel's claims, still to be verified."""

    digest: Sha256
    files: ArtifactRef
    """Zip of the engineer's files in the workspace, including script.py."""


class Refusal(Model):
    """`refuse_plan(proof)` ended the cell."""

    proof: str
