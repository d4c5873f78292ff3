"""The environment of a service that runs as a child process: what its settings read, and no other secret of the user.

Workers run code of agents, so they get neither the keys of model providers nor the address of the database.
"""

from collections.abc import Mapping

import benchmark_generator.settings
import cad_worker.settings
import catalog.settings
import critic.settings
import engineer.settings
import gateway.settings
import perception_worker.settings
import planner.settings
import recorder.settings
import sim_worker.settings
import skill_learner.settings
import spatial_agent.settings
from pydantic import BaseModel

SETTINGS: Mapping[str, type[BaseModel]] = {
    "planner": planner.settings.Settings,
    "engineer": engineer.settings.Settings,
    "critic": critic.settings.Settings,
    "skill-learner": skill_learner.settings.Settings,
    "catalog": catalog.settings.Settings,
    "benchmark-generator": benchmark_generator.settings.Settings,
    "spatial-agent": spatial_agent.settings.Settings,
    "recorder": recorder.settings.Settings,
    "gateway": gateway.settings.Settings,
    "cad-worker": cad_worker.settings.Settings,
    "sim-worker": sim_worker.settings.Settings,
    "perception-worker": perception_worker.settings.Settings,
}
WITHOUT_PROVIDERS = ("recorder", "gateway", "cad-worker", "sim-worker", "perception-worker")

SYSTEM = frozenset(
    (
        "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME",
        "LD_LIBRARY_PATH", "DISPLAY", "PYOPENGL_PLATFORM", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
    )
)  # fmt: skip
"""Variables of the machine, for libraries; none holds a secret."""
SYSTEM_PREFIXES = (
    "LC_", "PYTHON", "OMP_", "OPENBLAS_", "MKL_", "MUJOCO_", "EGL_", "__EGL_", "__GLX_", "LIBGL_", "MESA_", "GALLIUM_",
    "LP_", "OTEL_",
)  # fmt: skip
PROXIES = frozenset(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"))
"""They may hold a password; only roles contact providers."""


def service_environment(service: str, inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of `inherited` that this service may see."""
    read = {name.upper() for name in SETTINGS[service].model_fields}
    if service not in WITHOUT_PROVIDERS:
        read |= PROXIES
    return {
        name: value
        for name, value in inherited.items()
        if name.upper() in read or name in SYSTEM or name.startswith(SYSTEM_PREFIXES)
    }
