"""The command: `serve`, `fetch` weights, and list `models`."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import uvicorn
from chassis.errors import ChassisError
from chassis.settings import as_settings_errors
from contracts.extensions import ExtensionError

from perception_server.app import NAME, make_app
from perception_server.models.interface import ModelError
from perception_server.models.registry import adapters, chosen
from perception_server.settings import Settings, WeightSettings
from perception_server.warm_up import load
from perception_server.weights import fetch, note_of

KEEP_ALIVE_S = 30


def main() -> None:
    """Run a command; exit with 2 and one line of explanation if it cannot."""
    parser = argparse.ArgumentParser(prog=NAME, description="Depth, cameras and masks of pictures, by learned models.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("serve", help="answer calls of perception-worker; settings come from the environment")
    commands.add_parser("models", help="list the models, with the licence of their weights and whether they are here")
    commands.add_parser("fetch", help="download weights from the hub").add_argument("model", nargs="+")
    arguments = parser.parse_args()
    actions: Mapping[str, Callable[[], None]] = {
        "serve": _serve,
        "models": _list_models,
        "fetch": lambda: _fetch(arguments.model),
    }
    try:
        with as_settings_errors():
            actions[arguments.command]()
    except (ModelError, ExtensionError, ChassisError) as error:
        sys.stderr.write(f"{NAME}: {' '.join(str(error).split())}\n")
        sys.exit(2)


def _serve() -> None:
    settings = Settings()  # pyright: ignore[reportCallIssue] - the environment fills what has no default
    found = chosen(settings.perception_server_models, non_commercial=settings.perception_server_non_commercial)
    engine, cards = load(settings, found, _device(settings.perception_server_device))
    for card in cards:
        sys.stderr.write(f"{NAME}: {card.name} {card.revision}, weights: {card.licence}\n")
    uvicorn.run(
        make_app(settings, engine, cards),
        host=settings.perception_server_host,
        port=settings.perception_server_port,
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
    )


def _device(named: str) -> str:
    if find_spec("torch") is None:
        raise ModelError("torch is not installed: start the server with `./run perception serve`")
    from perception_server.models.libraries import torch  # noqa: PLC0415 - takes seconds, and is an extra

    if named == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return named


def _list_models() -> None:
    weights = WeightSettings().perception_server_weights
    for name, adapter in sorted(adapters().items()):
        card = adapter.card
        use = "any use" if card.is_commercial else "non-commercial use"
        sys.stdout.write(
            f"{name}\n  for: {card.task}\n  weights: {card.repository}; {card.licence}: {use}\n"
            f"  here: {_state(name, weights)}\n"
        )


def _state(name: str, weights: Path) -> str:
    try:
        return note_of(adapters()[name].card, weights).revision
    except ModelError:
        return f"no; fetch {name}"


def _fetch(names: Sequence[str]) -> None:
    weights = WeightSettings().perception_server_weights
    known = adapters()
    if unknown := [name for name in names if name not in known]:
        raise ModelError(f"{', '.join(unknown)}: unknown; there are {', '.join(sorted(known))}")
    for name in names:
        sys.stdout.write(f"{name}: weights of {known[name].card.repository}, licence: {known[name].card.licence}\n")
        note = fetch(known[name].card, weights)
        sys.stdout.write(f"{name}: revision {note.revision} in {weights / name}\n")


if __name__ == "__main__":
    main()
