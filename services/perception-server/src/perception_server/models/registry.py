"""Adapters by name: ours, and those of other packages by their entry points."""

from collections.abc import Mapping

from contracts.extensions import ExtensionError, extensions, load_extension

from perception_server.models.interface import Adapter, ModelCard, ModelError

OURS = (
    Adapter(
        ModelCard(
            name="depth-anything-2-metric-indoor",
            task="reconstruct",
            repository="depth-anything/Depth-Anything-V2-Metric-Indoor-Small-hf",
            revision="main",
            licence="Apache-2.0",
            is_commercial=True,
        ),
        "perception_server.models.depth_anything_2:load",
    ),
    Adapter(
        ModelCard(
            name="depth-anything-2-metric-outdoor",
            task="reconstruct",
            repository="depth-anything/Depth-Anything-V2-Metric-Outdoor-Small-hf",
            revision="main",
            licence="Apache-2.0",
            is_commercial=True,
        ),
        "perception_server.models.depth_anything_2:load",
    ),
    Adapter(
        ModelCard(
            name="sam3",
            task="segment",
            repository="facebook/sam3",
            revision="main",
            licence="SAM License; the hub gives the weights to who has accepted it",
            is_commercial=True,
        ),
        "perception_server.models.sam3:load",
    ),
)


def adapters() -> Mapping[str, Adapter]:
    """Return every adapter by the name of its model; raise `ExtensionError` for a broken entry point."""
    found = {each.card.name: each for each in OURS}
    for name, point in extensions("millwright.perception_models").items():
        adapter = load_extension(point)
        if not isinstance(adapter, Adapter) or adapter.card.name != name or name in found:
            raise ExtensionError(point, f"it is not an Adapter whose card has the name {name}, which is new")
        found[name] = adapter
    return found


def chosen(names: str, *, non_commercial: bool) -> list[Adapter]:
    """Return the adapters that a list with commas names, one for each task; raise `ModelError`."""
    known = adapters()
    found: list[Adapter] = []
    for name in (each.strip() for each in names.split(",") if each.strip()):
        if name not in known:
            raise ModelError(f"PERCEPTION_SERVER_MODELS: {name} is unknown; there are {', '.join(sorted(known))}")
        card = known[name].card
        if not card.is_commercial and not non_commercial:
            raise ModelError(
                f"the weights of {name} are for non-commercial use ({card.licence}): "
                "choose others, or set PERCEPTION_SERVER_NON_COMMERCIAL=true if your use is"
            )
        if any(card.task == each.card.task for each in found):
            raise ModelError(f"PERCEPTION_SERVER_MODELS: {name} is the second model for {card.task}; name one")
        found.append(known[name])
    if not found:
        raise ModelError(f"PERCEPTION_SERVER_MODELS names no model; there are {', '.join(sorted(known))}")
    return found
