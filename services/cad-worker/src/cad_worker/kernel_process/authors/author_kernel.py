"""The kernel of an author of benchmarks: builds worlds for looking at, and asks the host to certify them."""

import sys
from pathlib import Path
from typing import NoReturn

from kernel.api import engineer_api, host_tools, mechanism_api
from kernel.api.document_files import JournalFile, TodoFile
from kernel.api.drafts import author_host, author_utils
from kernel.api.drafts.author_host import AuthorWorld, Certification
from kernel.checker.rules import AUTHOR_NAMES
from kernel.errors import CellEnding
from kernel.runtime.cell import CellReport, CellRunner
from kernel.runtime.interrupts import Interrupts
from kernel_host.cell_server import CellOutput, CellServer
from kernel_host.protocol import PROOF_CHARS, SessionReady
from sandbox.channels.channel import UNTRUSTED, ChildChannel
from sandbox.channels.image_channel import IMAGES_FD, ImageSender

from cad_worker.author_protocol import AuthorOrder, DraftCheckAnswer, DraftCheckCall, TestAnswer, TestCall
from cad_worker.capture.displaced_joints import mark_displaced_joints
from cad_worker.kernel_process.authors.author_world import KernelWorld, build_world, picture_of
from cad_worker.kernel_process.channel_tools import ChannelTools, ToolRefusedError
from cad_worker.kernel_process.kernel_tools import AlreadyEndedError, NotAcceptableError
from cad_worker.kernel_process.shape_descriptions import ShapeDescriber
from cad_worker.session_protocol import DesignCellDone
from cad_worker.utils_geometry.kernel_shapes import KernelShapes

PICTURE = "frames: build zone, goal zone, forbid zones"


class AuthorTools(ChannelTools):
    """Implements `kernel.api.drafts.author_host.AuthorHost` over the channel."""

    def __init__(
        self, channel: ChildChannel, interrupts: Interrupts, images: ImageSender, folder: Path, order: AuthorOrder
    ) -> None:
        super().__init__(channel, interrupts, images)
        self._folder = folder
        self._order = order
        self._built: KernelWorld | None = None
        self.submits_files = False
        self.refusal: str | None = None

    def begin_cell(self) -> None:
        """Forget the ending of the last cell."""
        self.submits_files, self.refusal = False, None

    def write(self, path: str, text: str) -> None:
        """Write a file of the benchmark."""
        (self._folder / path).write_text(text, encoding="utf-8")

    def create(self, seed: int | None) -> AuthorWorld:
        """Build a world in this kernel."""
        self._built = build_world(self._folder, self._order.level, seed)
        return self._built.world

    def test(self, seeds: tuple[int, ...]) -> Certification:
        """Have worlds certified by the platform."""
        answer = self._call(TestCall(seeds=seeds), TestAnswer)
        if answer.problem:
            raise ToolRefusedError(answer.problem)
        return Certification(answer.worlds, answer.findings)

    def render(self, world: AuthorWorld, *, machine: bool) -> None:
        """Show a picture of the world that was built last."""
        assert self._built is not None
        which = "nominal world" if world.seed is None else f"world of seed {world.seed}"
        shapes = picture_of(self._built, _machine(self._built) if machine else None)
        self.show_shapes(tuple(shapes), f"{which}; {PICTURE}")

    def submit(self) -> NoReturn:
        """Have the host check the files, and end the cell with them."""
        self._require_open()
        answer = self._call(DraftCheckCall(), DraftCheckAnswer)
        if answer.problem:
            raise ToolRefusedError(answer.problem)
        if answer.faults:
            faults = "\n".join(f"- {fault}" for fault in answer.faults)
            raise NotAcceptableError(f"nothing was submitted:\n{faults}")
        self.submits_files = True
        raise CellEnding

    def refuse(self, reason: str) -> NoReturn:
        """End the cell with a refusal of the plan."""
        self._require_open()
        self.refusal = reason[:PROOF_CHARS]
        raise CellEnding

    def _require_open(self) -> None:
        if self._order.is_review:
            raise ToolRefusedError("the author submits and refuses; a review ends with your verdict")
        if self.submits_files or self.refusal is not None:
            raise AlreadyEndedError("this cell has already submitted or refused; it can do so once")


class AuthorKernel:
    """The namespace of an author's session, its tools and the channel to the host."""

    def __init__(self, channel: ChildChannel) -> None:
        """Receive the order, build the namespace and report ready."""
        order = channel.receive(AuthorOrder)
        self._channel = channel
        sys.stdout = sys.stderr = self._output = CellOutput()
        interrupts, folder = Interrupts(), Path.cwd()
        self._images = ImageSender(IMAGES_FD, interrupts.deferred)
        self._tools = AuthorTools(channel, interrupts, self._images, folder, order)
        author_host.connect(self._tools)
        host_tools.connect_screen(self._tools)
        mechanism_api.connect_geometry(KernelShapes())
        mark_displaced_joints()
        self._runner = CellRunner(_namespace(folder), folder, (ShapeDescriber(),), interrupts, AUTHOR_NAMES)
        sys.modules["utils"] = author_utils
        channel.send(SessionReady())

    def serve(self) -> None:
        """Run cells until the host closes the channel."""
        CellServer(self._channel, self._runner, self, self._images).serve(self._output)

    def begin_cell(self) -> None:
        """Forget the ending of the last cell."""
        self._tools.begin_cell()

    def done(self, report: CellReport, late_chars: int) -> DesignCellDone:
        """Return the last message of the cell, with how it ended."""
        return DesignCellDone(
            report=report,
            late_chars=late_chars,
            submits_files=self._tools.submits_files,
            refusal=self._tools.refusal,
        )


def run(descriptor: int) -> None:
    """Run the kernel until the host closes the channel: the entry point of the child."""
    AuthorKernel(ChildChannel(descriptor, UNTRUSTED)).serve()


def _namespace(folder: Path) -> dict[str, object]:
    """Return the names that every cell can use."""
    return {
        "show": engineer_api.show,
        "recall": engineer_api.recall,
        "journal": JournalFile((folder / "journal.md").absolute()),
        "todo": TodoFile((folder / "todo.md").absolute()),
    }


def _machine(built: KernelWorld) -> object:
    """Return the assembly of witness.py in a world, run in this kernel; what it raises is the cell's error."""
    names: dict[str, object] = {
        "__name__": "witness",
        "benchmark": built.world.benchmark,
        "environment": built.world.environment,
        "limits": built.limits,
    }
    exec(compile(built.witness_py, "witness.py", "exec"), names)  # noqa: S102 - the kernel exists for the author's code
    if "assembly" not in names:
        raise ToolRefusedError("witness.py binds no `assembly`")
    return names["assembly"]
