"""Examples of perception; see `examples`."""

from contracts.envelope import Event
from contracts.events.perception import (
    FrameIntrinsics,
    PerceptionCompleted,
    PerceptionFailed,
    PerceptionRequested,
    Reconstruct,
    Reconstructed,
)
from contracts.events.session import CellRequested
from contracts.models.frames import FrameRef, Noise, SceneState

from tests.contracts import example_values as values
from tests.contracts.worker_examples import EventsByClass

STATE = SceneState(
    scene=values.blob("spatial-scene.json", "application/json", 9000), state=30, noise=Noise(depth_relative=0.01)
)
FRAME = FrameRef(
    picture=values.blob("frame-30.png", "image/png", 52000),
    frame_index=30,
    time_s=1.2,
    width_px=640,
    height_px=480,
    source=STATE,
)


def perception(events: EventsByClass) -> list[Event]:
    request = PerceptionRequested.deciding(
        events[CellRequested], "engineer", 2, 4, operation=Reconstruct(frames=(FRAME,))
    )
    result = Reconstructed(
        arrays=values.blob("reconstruction.npz", "application/x-npz", 2_500_000),
        frame_indices=(30,),
        intrinsics=(FrameIntrinsics(fx=514.7, fy=514.7, cx=319.5, cy=239.5),),
        gravity_direction=(0.0, -1.0, 0.0),
    )
    return [
        request,
        PerceptionCompleted.answering(
            request, "perception-worker", backend="simulator", result=result, duration_ms=48.5
        ),
        PerceptionFailed.answering(
            request, "perception-worker", reason="unknown_frame", detail="frame 30 has no scene"
        ),
    ]
