"""What a pod's variables say is what its service reads: names, servers, users, and the consumers that scale it."""

from importlib import import_module

import pytest
from agent.settings import RoleSettings
from artifacts.settings import S3Settings
from artifacts.users import USERS
from chassis.administration.permissions import all_permissions
from chassis.settings import BusSettings
from chassis.subjects import STREAM
from local_stack.service_apps import build_detached_apps
from local_stack.settings import CliSettings
from pydantic_settings import BaseSettings
from sqlalchemy import make_url
from store.settings import DatabaseSettings
from store.users import CATALOG_READER, WRITABLE_SCHEMAS

from tests.deploy.test_images import COMPOSE, ROLES
from tests.manifests.manifests import OURS, OVERLAYS, environment, of_kind, pod, reaches, secrets

PARTS = {"PATH", "SERVICE", "PASSWORD", "READER_PASSWORD", "NATS_SCHEME", "NATS_ADDRESS", "POSTGRES_ADDRESS"}
"""Variables of which others are made, and where programs are."""
LABELS = {"bus": "nats", "db": "postgres", "blobs": "s3", "outside": "outside"}
"""By network of Compose: the label of pods that reach the same."""
COMMANDS = ("cli", "migrate", "backup")
SHARED = {"MILLWRIGHT_MODEL", "RUN_SLOTS"}
"""Of the ConfigMap that all roles read: settings of the gateway and the planner."""
every_service = pytest.mark.parametrize("service", OURS)
every_overlay = pytest.mark.parametrize("overlay", OVERLAYS)


def settings_of(service: str) -> type[BaseSettings]:
    return import_module(f"{service.replace('-', '_')}.settings").Settings


@every_overlay
@every_service
def test_variables_are_settings_of_the_service(overlay: str, service: str) -> None:
    known = {name.upper() for name in settings_of(service).model_fields}
    assert set(environment(overlay, pod(overlay, service))) - PARTS - SHARED <= known


@every_overlay
@every_service
def test_service_accepts_its_variables_and_logs_in_as_itself(overlay: str, service: str) -> None:
    given = environment(overlay, pod(overlay, service))
    kind = settings_of(service)
    read = kind(**{name.lower(): value for name, value in given.items() if name.lower() in kind.model_fields})  # pyright: ignore[reportArgumentType] - from text
    url = make_url(given["NATS_URL"])
    assert (url.username, url.password) == (service, secrets()["millwright-passwords"][_variable(service)])
    assert isinstance(read, BusSettings)
    if isinstance(read, DatabaseSettings):
        database = make_url(read.database_url)
        assert (database.username, database.password) == (url.username, url.password)
    if isinstance(read, S3Settings):
        assert (read.s3_access_key, read.s3_secret_key) == (url.username, url.password)


def _variable(user: str) -> str:
    return f"MILLWRIGHT_{user.upper().replace('-', '_')}_PASSWORD"


@every_overlay
@every_service
def test_service_reaches_exactly_what_it_uses(overlay: str, service: str) -> None:
    given = environment(overlay, pod(overlay, service))
    expected = {LABELS[network] for network in COMPOSE["services"][service]["networks"] if network in LABELS}
    assert reaches(pod(overlay, service)) == expected
    assert ("postgres" in expected, "s3" in expected) == (service in WRITABLE_SCHEMAS, service in USERS)
    assert ("DATABASE_URL" in given) == ("postgres" in expected)
    assert ("S3_ENDPOINT" in given) == ("s3" in expected)


def test_worker_reaches_broker_and_artifacts_alone() -> None:
    assert reaches(pod("prod", "cad-worker")) == {"nats", "s3"}


@every_overlay
def test_keys_of_models_reach_the_roles_only(overlay: str) -> None:
    known = {name.upper() for name in RoleSettings.model_fields}
    for service in OURS:
        assert ("OPENAI_API_KEY" in environment(overlay, pod(overlay, service))) == (service in ROLES)
    models = next(each for name, each in of_kind(overlay, "ConfigMap").items() if name.startswith("millwright-models"))
    assert set(models["data"]) <= known | SHARED


@every_overlay
@pytest.mark.parametrize("command", COMMANDS)
def test_variables_are_settings_of_the_command(overlay: str, command: str) -> None:
    kinds = (CliSettings, BusSettings, S3Settings, DatabaseSettings)
    known = {name.upper() for kind in kinds for name in kind.model_fields}
    passwords = set(secrets()["millwright-passwords"]) if command == "migrate" else set[str]()
    assert set(environment(overlay, pod(overlay, command))) - PARTS - passwords <= known


@every_overlay
def test_job_that_migrates_creates_the_bucket_of_the_nightly_backup(overlay: str) -> None:
    given = [environment(overlay, pod(overlay, name)) for name in ("migrate", "backup")]
    places = [{name: each[name] for name in each if name.startswith("MILLWRIGHT_BACKUPS")} for each in given]
    assert places[0] == places[1]
    assert places[0]["MILLWRIGHT_BACKUPS"] == "s3:millwright-backups"


@every_overlay
@pytest.mark.parametrize("command", ["migrate", "backup"])
def test_second_place_for_backups_is_a_setting(overlay: str, command: str) -> None:
    read = {each["name"] for each in pod(overlay, command).container["env"]}
    assert {name.upper() for name in CliSettings.model_fields if name.startswith("millwright_backups")} <= read


def test_catalog_queries_run_as_their_own_user() -> None:
    url = make_url(environment("prod", pod("prod", "catalog"))["CATALOG_DATABASE_URL"])
    assert (url.username, url.query["sslmode"]) == (CATALOG_READER, "verify-full")


def test_migrate_knows_every_password() -> None:
    given = environment("prod", pod("prod", "migrate"))
    for permissions in all_permissions(build_detached_apps()):
        assert given[permissions.password_variable]
    assert given["S3_SECRET_KEY"] == secrets()["minio-root"]["rootPassword"]


def test_production_is_encrypted() -> None:
    for service in OURS:
        given = environment("prod", pod("prod", service))
        assert given["NATS_URL"].startswith("tls://")
        assert {given["NATS_TLS_CA"], given["NATS_TLS_CERT"]} == {
            "/etc/millwright/tls/ca.crt",
            "/etc/millwright/tls/tls.crt",
        }
        assert given.get("S3_SECURE", "true") == "true"
        assert "sslmode=verify-full" in given.get("DATABASE_URL", "sslmode=verify-full")


def test_services_scale_by_consumers_of_their_own() -> None:
    consumers = {app.name: {each.durable for each in app.planned_consumers} for app in build_detached_apps()}
    scaled = of_kind("prod", "ScaledObject")
    assert set(scaled) == set(OURS) - {"recorder", "gateway"}, "a fixed number of these two"
    for name, each in scaled.items():
        assert each["spec"]["scaleTargetRef"] == {"name": name}
        assert "replicas" not in of_kind("prod", "Deployment")[name]["spec"], "every apply would undo what KEDA did"
        for trigger in each["spec"]["triggers"]:
            assert trigger["metadata"]["stream"] == STREAM
            assert trigger["metadata"]["consumer"] in consumers[name]


@pytest.mark.parametrize("worker", ["cad-worker", "sim-worker"])
def test_worker_scales_by_all_of_its_work(worker: str) -> None:
    (app,) = (each for each in build_detached_apps() if each.name == worker)
    triggers = of_kind("prod", "ScaledObject")[worker]["spec"]["triggers"]
    planned = {each.durable for each in app.planned_consumers}
    assert {each["metadata"]["consumer"] for each in triggers} == _work(planned)


def _work(durables: set[str]) -> set[str]:
    """Return the consumers of requests: of sessions those that wait for the end, and none that reads ends of runs."""
    opened = {each.replace("-reminds-", "-") for each in durables if "-reminds-" in each}
    return {each for each in durables - opened if "-hears-" not in each}


def test_spool_fits_its_volume() -> None:
    for service in USERS:
        if service in OURS:
            given = environment("prod", pod("prod", service))
            assert (
                int(given["ARTIFACTS_SPOOL_LIMIT_BYTES"])
                == COMPOSE["services"][service]["environment"]["ARTIFACTS_SPOOL_LIMIT_BYTES"]
            )
