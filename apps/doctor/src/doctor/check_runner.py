"""The check runner: all checks, in the order in which they are reported."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import replace

from chassis.administration.inspection import BusState
from local_stack.data_folder import is_locked
from local_stack.errors import COMPOSE, UserError, admin_hint
from local_stack.servers.server_stack import ServerStack, has_database
from local_stack.settings import CliSettings

from doctor.check import Check, failed, passed, skipped
from doctor.checks import consumers, data_folder, deployment, machine, programs, schema, servers
from doctor.checks.announced import check_announced
from doctor.checks.blob_access import check_blob_access
from doctor.checks.blobs import check_blobs
from doctor.checks.graphics import check_drawing
from doctor.checks.model import check_features, check_model, check_model_name, check_provider
from doctor.checks.sandbox import check_confinement, check_kernel_features
from doctor.checks.servers import ServerInspection
from doctor.checks.spool import check_spool
from doctor.target import Target, find_target

INTERVAL_S = 1.0
"""Between two inspections of consumers that are behind."""

PendingChecks = Coroutine[None, None, Sequence[Check]]


async def run_checks(
    settings: CliSettings, *, probe_model: str | None = None, deep: bool = False
) -> AsyncIterator[Check]:
    """Run all checks and yield their results; with `probe_model`, also contact the provider of that model.

    `deep`: also read every stored artifact.
    """
    groups = [_skip_machine()] if settings.services_elsewhere else _machine_groups(settings)
    machine_checks = [asyncio.create_task(each) for each in groups]
    tasks = [
        *machine_checks,
        asyncio.create_task(_check_servers_after(machine_checks, settings, deep=deep)),
        asyncio.create_task(_check_model(settings, probe_model)),
    ]
    for task in tasks:
        for check in await task:
            yield check


async def run_deployment_checks(
    settings: CliSettings, probes: Sequence[str] = (), *, deep: bool = False
) -> AsyncIterator[Check]:
    """Run the checks of a deployment on external servers, as their admin; `probes`: addresses of services' health."""
    for check in await _check_deployment(settings, deep=deep):
        yield check
    for check in await deployment.check_probes(probes):
        yield check


async def _check_deployment(settings: CliSettings, *, deep: bool) -> Sequence[Check]:
    fix = "set NATS_URL, DATABASE_URL, S3_ENDPOINT and its keys to the deployment's, with the admin's login"
    target = _target(settings, fix)
    if isinstance(target, Check):
        return [target]
    if target.origin == "none":
        return [failed("servers", "variables", "no servers are named", fix)]
    inspection = await servers.check_nats(target)
    bus = inspection.bus
    checks = await run_server_checks(target, deep=deep)
    if bus is None or not bus.has_stream or bus.consumers is None:
        return checks
    return [
        *checks,
        deployment.check_streams(bus),
        await asyncio.to_thread(deployment.check_services, target, bus),
        await asyncio.to_thread(deployment.check_left_over, target, bus),
    ]


def _machine_groups(settings: CliSettings) -> list[PendingChecks]:
    """Return the checks of the machine that runs the services."""
    folder = settings.millwright_data
    return [
        _run(
            machine.check_system,
            machine.check_python,
            machine.check_packages,
            machine.check_memory,
            machine.check_open_files,
            machine.check_temporary_folder,
            machine.check_text,
        ),
        _run(
            programs.check_nats_program,
            programs.check_postgres_program,
            programs.check_seaweedfs_program,
            programs.check_ports,
        ),
        _run(
            lambda: data_folder.check_folder(folder),
            lambda: data_folder.check_disk(folder),
            lambda: data_folder.check_inodes(folder),
            lambda: data_folder.check_holder(folder),
            lambda: data_folder.check_last_start(folder),
            data_folder.check_leftovers,
        ),
        _run(check_kernel_features, check_confinement),
        _run(check_drawing),
    ]


async def _skip_machine() -> Sequence[Check]:
    reason = f"services run elsewhere and report their own health; in containers: `{COMPOSE} ps`"
    return [skipped("machine", "machine", reason)]


async def _check_servers_after(
    earlier: Sequence[asyncio.Task[Sequence[Check]]], settings: CliSettings, *, deep: bool
) -> Sequence[Check]:
    """Check the servers after the data folder: a stored database is started, which holds the folder for a moment."""
    await asyncio.wait(earlier)
    return await _check_servers(settings, deep=deep)


def _target(settings: CliSettings, fix: str) -> Target | Check:
    """Return the servers that the environment names, or that it names only some."""
    try:
        return find_target(settings)
    except UserError as error:
        return failed("servers", "variables", "only some servers are named", fix, str(error).partition(":")[0])


async def _check_servers(settings: CliSettings, *, deep: bool) -> Sequence[Check]:
    target = _target(settings, "set all of them to use external servers, or none to start local ones")
    if isinstance(target, Check):
        return [target]
    if target.origin == "none":
        return [
            passed("servers", "servers", "none running; each run starts its own"),
            *await _check_stored_database(target),
            check_spool(target, s3_answers=False),
        ]
    return await run_server_checks(target, deep=deep)


async def _check_stored_database(target: Target) -> list[Check]:
    """Check the version of a database whose server does not run, by starting it for a moment."""
    folder = target.settings.millwright_data
    if not has_database(folder) or is_locked(folder):
        return []
    servers_of_folder = ServerStack(folder, only=("postgres",))
    try:
        servers_of_folder.start()
    except UserError as error:
        return [failed("schema", "tables", "the database of the data folder does not start", "see there", str(error))]
    try:
        stored = replace(target, environment=servers_of_folder.environment())
        inspected = await servers.check_postgres(stored)
    finally:
        servers_of_folder.stop()
    return [inspected.check if inspected.database is None else schema.check_stored_tables(inspected.database)]


async def run_server_checks(target: Target, *, deep: bool = False) -> list[Check]:
    """Check the servers, their contents, and the consumers."""
    nats, postgres, s3 = await asyncio.gather(
        servers.check_nats(target), servers.check_postgres(target), servers.check_s3(target)
    )
    checks = [nats.check, postgres.check, s3.check, _check_clocks(nats, postgres, s3)]
    if postgres.database is not None:
        checks.append(schema.check_tables(postgres.database))
    if nats.bus is not None:
        checks.append(schema.check_stream(nats.bus, postgres.database))
        checks += await _check_consumers(target, nats.bus)
        if nats.bus.has_stream:
            checks.append(await check_announced(target))
    if s3.s3 is not None:
        checks.append(schema.check_bucket(s3.s3, nats.bus))
    if target.origin == "running":
        checks.append(await asyncio.to_thread(check_blob_access, target.settings.millwright_data))
    checks.append(check_spool(target, s3_answers=s3.check.ok))
    if deep and s3.s3 is not None and s3.s3.has_bucket:
        checks.append(await check_blobs(target))
    return checks


def _check_clocks(nats: ServerInspection, postgres: ServerInspection, s3: ServerInspection) -> Check:
    return servers.check_clocks(
        {
            "NATS": (nats.bus and nats.bus.time, nats.inspected_at),
            "Postgres": (postgres.database and postgres.database.time, postgres.inspected_at),
            "S3": (s3.s3 and s3.s3.time, s3.inspected_at),
        }
    )


async def _check_consumers(target: Target, bus: BusState) -> list[Check]:
    if not bus.has_stream:
        return []
    if bus.consumers is None:
        return [skipped("consumers", "consumers", f"only an admin may list them; {admin_hint('doctor')}")]
    later = bus
    if consumers.is_behind(bus):
        await asyncio.sleep(INTERVAL_S)
        later = (await servers.check_nats(target)).bus or bus
    return [
        await asyncio.to_thread(consumers.check_consumers, target, later),
        consumers.check_progress(bus, later, INTERVAL_S),
        consumers.check_recorder(target, bus, later),
    ]


async def _check_model(settings: CliSettings, probe_model: str | None) -> Sequence[Check]:
    if settings.services_elsewhere:
        return await _run(lambda: check_model_name(probe_model or settings.millwright_model))
    if probe_model is None:
        return await _run(lambda: check_model(settings.millwright_model))
    checks = await _run(lambda: check_model(probe_model), lambda: check_provider(probe_model))
    return checks if not all(check.ok for check in checks) else [*checks, await check_features(probe_model)]


async def _run(*checks: Callable[[], Check]) -> Sequence[Check]:
    return await asyncio.gather(*(asyncio.to_thread(check) for check in checks))
