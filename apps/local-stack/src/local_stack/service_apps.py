"""All services as apps that are not started, for reading their subscriptions. Loads the libraries of the workers."""

from collections.abc import Mapping
from typing import Any

import cad_worker.app
import cad_worker.settings
import perception_worker.app
import perception_worker.settings
import sim_worker.app
import sim_worker.settings
from chassis.app import App

from local_stack.services import build_embedded_apps


def build_apps(environment: Mapping[str, str]) -> list[App]:
    """Return the apps of all services, with the servers that `environment` names."""
    given: dict[str, Any] = {name.lower(): value for name, value in environment.items()}
    return [
        *build_embedded_apps(environment, with_gateway=True),
        cad_worker.app.make_app(cad_worker.settings.Settings(**given)),
        sim_worker.app.make_app(sim_worker.settings.Settings(**given)),
        perception_worker.app.make_app(perception_worker.settings.Settings(**given)),
    ]


def build_detached_apps() -> list[App]:
    """Return the apps of all services with servers that do not exist: for inspection only."""
    return build_apps(
        {
            "NATS_URL": "nats://nowhere.invalid:4222",
            "DATABASE_URL": "postgresql://no-user:no-password@nowhere.invalid:5432/none",
            "S3_ENDPOINT": "nowhere.invalid:9000",
            "S3_ACCESS_KEY": "no-user",
            "S3_SECRET_KEY": "no-password",
        }
    )
