"""SAM 2: masks by points and boxes, in pictures and videos. It knows no texts: Grounding DINO gives it their boxes."""

from collections.abc import Sequence

from perception_server.models.interface import FoundObjects, Placement, Prompted
from perception_server.models.libraries import half_precision, transformers
from perception_server.models.place_tracker import PlaceTracker, tracked


def load(placement: Placement) -> "Sam2":
    """Load it from a folder."""
    folder, dtype = placement.folder, half_precision(placement.device)
    model = transformers.Sam2VideoModel.from_pretrained(folder, dtype=dtype, local_files_only=True)
    processor = transformers.Sam2VideoProcessor.from_pretrained(folder, local_files_only=True)
    return Sam2(PlaceTracker(model, processor, placement.device))


class Sam2:
    """A picture is a video of one frame."""

    takes_texts = False

    def __init__(self, tracker: PlaceTracker) -> None:
        self.tracker = tracker

    def detect(self, requests: Sequence[Prompted]) -> list[FoundObjects]:
        """Return the objects of each picture, one by one."""
        return [self.track(each) for each in requests]

    def track(self, request: Prompted) -> FoundObjects:
        """Return the objects of a video, from their frame on and back."""
        return tracked(request, self.tracker.steps(request))
