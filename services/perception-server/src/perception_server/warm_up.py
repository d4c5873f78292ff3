"""Loading of the chosen models, and a first call of each, which takes longer than later ones."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from contracts.events.perception import BoxPrompt, TextPrompt

from perception_server.calls.engine import Engine
from perception_server.models.grounded import GroundedSegmenter
from perception_server.models.interface import (
    Adapter,
    Finder,
    Meter,
    ModelCard,
    Placement,
    Prompted,
    Reconstructor,
    Segmenter,
    Views,
)
from perception_server.models.many_views import MeasuredScale
from perception_server.settings import Settings
from perception_server.weights import folder_of, note_of

SIZE = (576, 768)
"""Height and width of most pictures: perception-worker's are at most 768 px long."""


def load(settings: Settings, adapters: Sequence[Adapter], device: str) -> tuple[Engine, list[ModelCard]]:
    """Return the models, warm, and their cards with the revision that is on this machine; raise `ModelError`."""
    weights = settings.perception_server_weights
    notes = [note_of(each.card, weights) for each in adapters]
    models = {
        each.card.task: each.load(Placement(folder_of(each.card, weights), device, settings.perception_server_fov_deg))
        for each in adapters
    }
    reconstructor = cast("Reconstructor | None", models.get("reconstruct"))  # the card names the task
    segmenter = cast("Segmenter | None", models.get("segment"))
    if reconstructor is not None and (meter := cast("Meter | None", models.get("scale"))) is not None:
        [name] = [each.card.name for each in adapters if each.card.task == "scale"]
        reconstructor = MeasuredScale(reconstructor, meter, name)
    if segmenter is not None and (finder := cast("Finder | None", models.get("find"))) is not None:
        segmenter = GroundedSegmenter(finder, segmenter)
    warm(reconstructor, segmenter)
    cards = [replace(each.card, revision=note.revision) for each, note in zip(adapters, notes, strict=True)]
    return Engine(reconstructor, segmenter), cards


def warm(reconstructor: Reconstructor | None, segmenter: Segmenter | None) -> None:
    """Call each method once."""
    picture = np.random.default_rng(0).integers(0, 255, (*SIZE, 3), np.uint8)
    if reconstructor is not None:
        reconstructor.reconstruct([Views((picture,))])
    if segmenter is not None:
        box = BoxPrompt(kind="box", box=(100, 100, 300, 300))
        prompted = Prompted(
            (picture,), (TextPrompt(kind="text", text="object") if segmenter.takes_texts else box,), 0, 0.5
        )
        segmenter.detect([prompted])
        segmenter.track(prompted)
