"""`tools.Reconstruct`: depth, points and cameras of frames."""

from collections.abc import Iterable

from contracts.events.perception import MAX_RECONSTRUCTED_FRAMES, Alignment, Reconstruct, Reconstructed

from spatial.port import Perception
from spatial.reconstruction import Reconstruction
from spatial.tools.frame_choice import FrameChoice


class ReconstructTool:
    """rec = tools.Reconstruct(InputImages): depth, points and camera poses of 1 to 64 frames in one world.

    World: metres, y UP, ground at y = 0; the FIRST frame's camera is at x = z = 0 and looks to -z, its right is +x.
    8 to 32 frames work best; InputImages[::k] keeps every k-th. align="sim" keeps the simulator's own world, z up.
    """

    def __init__(self, perception: Perception, frames: FrameChoice) -> None:
        self._perception, self._frames = perception, frames

    def __call__(
        self, frames: object = None, frame_indices: Iterable[int] | None = None, align: Alignment = "ground"
    ) -> Reconstruction:
        """Reconstruct frames, by default all; raise `PerceptionRefusedError` if the backend cannot."""
        chosen = self._frames.many(frames, frame_indices, MAX_RECONSTRUCTED_FRAMES)
        reply = self._perception(
            Reconstruct(kind="reconstruct", frames=tuple(image.ref for image in chosen), align=align)
        )
        if not isinstance(reply.result, Reconstructed):
            raise TypeError(f"a reconstruction was requested, the answer is {reply.result.kind}")
        return Reconstruction(reply.result, reply.arrays_npz)

    def __repr__(self) -> str:
        """Teach how to use it."""
        return self.__doc__ or ""
