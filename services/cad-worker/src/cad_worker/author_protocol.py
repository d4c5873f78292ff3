"""The author's part of the session protocol: its order, and the calls of its tools."""

from typing import Annotated, Literal

from contracts.events.benchmark import MAX_TESTED, DraftFinding, WorldCertificate
from kernel.api.drafts.author_host import MAX_SEED
from kernel_host.protocol import KernelCall
from pydantic import BaseModel, Field
from sandbox.channels.wire_model import WireModel

Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]


class AuthorOrder(WireModel):
    """The first message to the kernel of an author; the benchmark's files are in the workspace."""

    level: Literal[1, 2, 3]
    is_review: bool = False
    """Whether a critic examines a draft: then nothing is submitted or refused."""


class TestCall(KernelCall):
    """Call of `test`: the host reads the files of the workspace, answered by `TestAnswer`."""

    __test__ = False  # pytest collects classes of this name

    kind: Literal["test"] = "test"
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1, max_length=MAX_TESTED)]


class TestAnswer(BaseModel):
    """What became of each world, or why none was examined."""

    __test__ = False

    worlds: tuple[WorldCertificate, ...] = ()
    findings: tuple[DraftFinding, ...] = ()
    problem: str = ""


class DraftCheckCall(KernelCall):
    """Call of `submit_for_review` by an author, answered by `DraftCheckAnswer`."""

    kind: Literal["draft_check"] = "draft_check"


class DraftCheckAnswer(BaseModel):
    """What speaks against a submission of the files as they are."""

    faults: tuple[str, ...] = ()
    problem: str = ""
