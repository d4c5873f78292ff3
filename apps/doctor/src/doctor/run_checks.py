"""All checks, in the order in which they are told."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence

from chassis.observability.inspection import BusState
from local_stack.containers import COMPOSE, as_admin
from local_stack.errors import UserError
from local_stack.settings import CliSettings

from doctor.check import Check, failed, passed, skipped
from doctor.checks import consumers, data_folder, machine, programs, schema, servers
from doctor.checks.graphics import check_drawing
from doctor.checks.model import check_model, check_model_name, check_provider
from doctor.checks.sandbox import check_confinement, check_kernel_features
from doctor.checks.servers import ServerInspection
from doctor.checks.spool import check_spool
from doctor.target import Target, find_target

APART_S = 1.0
"""Between two looks at those who are behind."""

Round = Coroutine[None, None, Sequence[Check]]


async def run_checks(surroundings: CliSettings, *, probe_model: str | None = None) -> AsyncIterator[Check]:
    """Yield everything that was looked at; `asks_model` names a model whose provider is to be asked, too."""
    rounds: list[Round] = [
        *([_elsewhere()] if surroundings.services_elsewhere else _here(surroundings)),
        _servers(surroundings),
        _model(surroundings, probe_model),
    ]
    tasks = [asyncio.create_task(each) for each in rounds]
    for task in tasks:
        for check in await task:
            yield check


def _here(surroundings: CliSettings) -> list[Round]:
    """What services need that run here."""
    return [
        _machine(),
        _programs(),
        _place(surroundings),
        _each(check_kernel_features, check_confinement),
        _each(check_drawing),
    ]


async def _elsewhere() -> Sequence[Check]:
    why = f"services run elsewhere, and each tells its own health; in containers: `{COMPOSE} ps`"
    return [skipped("machine", "machine", why)]


async def _machine() -> Sequence[Check]:
    return await _each(
        machine.check_system,
        machine.check_python,
        machine.check_packages,
        machine.check_memory,
        machine.check_open_files,
        machine.check_temporary_folder,
        machine.check_text,
    )


async def _programs() -> Sequence[Check]:
    return await _each(
        programs.check_nats_program,
        programs.check_postgres_program,
        programs.check_seaweedfs_program,
        programs.check_ports,
    )


async def _place(surroundings: CliSettings) -> Sequence[Check]:
    checks = (
        data_folder.check_folder,
        data_folder.check_disk,
        data_folder.check_inodes,
        data_folder.check_holder,
        data_folder.check_last_start,
    )
    return await asyncio.gather(*(asyncio.to_thread(check, surroundings.millwright_data) for check in checks))


async def _servers(surroundings: CliSettings) -> Sequence[Check]:
    try:
        patient = find_target(surroundings)
    except UserError as error:
        mend = "set all of them to join servers that exist, or none to have our own started"
        return [failed("servers", "variables", "servers are named by halves", mend, str(error).partition(":")[0])]
    if patient.origin == "none":
        return [passed("servers", "servers", "none run; a run starts its own"), check_spool(patient, s3_answers=False)]
    return await run_server_checks(patient)


async def run_server_checks(patient: Target) -> list[Check]:
    """Look at the servers, and at what lies on them."""
    nats, postgres, s3 = await asyncio.gather(
        servers.check_nats(patient), servers.check_postgres(patient), servers.check_s3(patient)
    )
    checks = [nats.check, postgres.check, s3.check, _clocks(nats, postgres, s3)]
    if postgres.database is not None:
        checks.append(schema.check_tables(postgres.database))
    if nats.bus is not None:
        checks.append(schema.check_stream(nats.bus, postgres.database))
        checks += await _consumers(patient, nats.bus)
    if s3.s3 is not None:
        checks.append(schema.check_bucket(s3.s3, nats.bus))
    checks.append(check_spool(patient, s3_answers=s3.check.ok))
    return checks


def _clocks(nats: ServerInspection, postgres: ServerInspection, s3: ServerInspection) -> Check:
    return servers.check_clocks(
        {
            "NATS": (nats.bus and nats.bus.time, nats.inspected_at),
            "Postgres": (postgres.database and postgres.database.time, postgres.inspected_at),
            "S3": (s3.s3 and s3.s3.time, s3.inspected_at),
        }
    )


async def _consumers(patient: Target, bus: BusState) -> list[Check]:
    if not bus.has_stream:
        return []
    if bus.consumers is None:
        return [skipped("consumers", "consumers", f"only an admin may see them; {as_admin('doctor')}")]
    later = bus
    if consumers.needs_second_look(bus):
        await asyncio.sleep(APART_S)
        later = (await servers.check_nats(patient)).bus or bus
    return [
        await asyncio.to_thread(consumers.check_consumers, patient, later),
        consumers.check_progress(bus, later, APART_S),
        consumers.check_recorder(patient, bus, later),
    ]


async def _model(surroundings: CliSettings, asked: str | None) -> Sequence[Check]:
    if surroundings.services_elsewhere:
        return await _each(lambda: check_model_name(asked or surroundings.millwright_model))
    if asked is None:
        return await _each(lambda: check_model(surroundings.millwright_model))
    return await _each(lambda: check_model(asked), lambda: check_provider(asked))


async def _each(*checks: Callable[[], Check]) -> Sequence[Check]:
    return await asyncio.gather(*(asyncio.to_thread(check) for check in checks))
