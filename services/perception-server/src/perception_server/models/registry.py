"""Adapters by name: ours, and those of other packages by their entry points."""

from collections.abc import Mapping

from contracts.extensions import ExtensionError, extensions, load_extension

from perception_server.models.interface import Adapter, ModelCard, ModelError, Task


def _ours(name: str, task: Task, repository: str, licence: str, target: str) -> Adapter:
    card = ModelCard(name, task, repository, "main", licence, is_commercial="NC" not in licence)
    return Adapter(card, f"perception_server.models.{target}")


APACHE, NON_COMMERCIAL = "Apache-2.0", "CC BY-NC 4.0"
VIEWS, METER = "depth_anything_3:load", "depth_anything_3:load_meter"
OURS = (
    _ours("depth-anything-3-base", "reconstruct", "depth-anything/DA3-BASE", APACHE, VIEWS),
    _ours("depth-anything-3-small", "reconstruct", "depth-anything/DA3-SMALL", APACHE, VIEWS),
    _ours("depth-anything-3-large", "reconstruct", "depth-anything/DA3-LARGE", NON_COMMERCIAL, VIEWS),
    _ours("depth-anything-3-nested", "reconstruct", "depth-anything/DA3NESTED-GIANT-LARGE", NON_COMMERCIAL, VIEWS),
    _ours("depth-anything-3-metric", "scale", "depth-anything/DA3METRIC-LARGE", APACHE, METER),
    *(
        _ours(
            f"depth-anything-2-metric-{where.lower()}",
            "reconstruct",
            f"depth-anything/Depth-Anything-V2-Metric-{where}-Small-hf",
            APACHE,
            "depth_anything_2:load",
        )
        for where in ("Indoor", "Outdoor")
    ),
    _ours(
        "sam3",
        "segment",
        "facebook/sam3",
        "SAM License; the hub gives the weights to who has accepted it",
        "sam3:load",
    ),
    _ours("sam2", "segment", "facebook/sam2.1-hiera-small", APACHE, "sam2:load"),
    _ours("grounding-dino", "find", "IDEA-Research/grounding-dino-base", APACHE, "grounding_dino:load"),
)
BESIDE: Mapping[Task, Task] = {"scale": "reconstruct", "find": "segment"}
"""Tasks that are a part of another one."""


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
    tasks = {each.card.task for each in found}
    for part, whole in BESIDE.items():
        if part in tasks and whole not in tasks:
            raise ModelError(f"PERCEPTION_SERVER_MODELS: a model for {part} needs one for {whole} beside it")
    if not found:
        raise ModelError(f"PERCEPTION_SERVER_MODELS names no model; there are {', '.join(sorted(known))}")
    return found
