"""A perception server with tiny models, in the environment with torch: `python -m tests.perception_models.tiny_server`.

The variables are those of the server. It is for tries by hand and for `./run perf models/perception_server`.
"""

import sys

import uvicorn
from perception_server.app import make_app
from perception_server.calls.engine import Engine
from perception_server.models.registry import OURS
from perception_server.settings import Settings
from perception_server.warm_up import warm

from tests.perception_models.tiny import tiny_depth_anything, tiny_sam3


def main() -> None:
    """Serve until a signal."""
    settings = Settings()  # pyright: ignore[reportCallIssue] - the environment fills what has no default
    depth, segmenter = tiny_depth_anything(), tiny_sam3()
    warm(depth, segmenter)
    app = make_app(settings, Engine(depth, segmenter), [each.card for each in OURS])
    uvicorn.run(app, host=settings.perception_server_host, port=settings.perception_server_port, log_config=None)


if __name__ == "__main__":
    sys.exit(main())
