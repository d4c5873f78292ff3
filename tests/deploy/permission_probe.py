"""Runs in a role's container, by `python -`: what the servers say to a service that wants to be another. Prints JSON.

The arguments: the name and the password that it has, and the name of whom it would like to be.
"""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of `connect` untyped.

import asyncio
import json
import sys
from collections.abc import Callable

import nats
import psycopg
from minio import Minio
from minio.error import S3Error
from nats.errors import Error as NatsError

OWN, PASSWORD, OTHER = sys.argv[1:]


async def log_in(user: str) -> str:
    """Say what NATS says to a name with our password."""
    told: list[str] = []

    async def note(error: Exception) -> None:
        told.append(str(error))

    address = f"nats://{user}:{PASSWORD}@nats:4222"
    try:
        client = await nats.connect(address, error_cb=note, max_reconnect_attempts=1, reconnect_time_wait=0.1)
    except NatsError as error:
        return told[0] if told else str(error)
    await client.close()
    return "let in"


async def publish(subject: str) -> str:
    """Say what NATS says when we speak, under our own name, as another would."""
    told: list[str] = []

    async def note(error: Exception) -> None:
        told.append(str(error))

    address = f"nats://{OWN}:{PASSWORD}@nats:4222"
    client = await nats.connect(address, error_cb=note, inbox_prefix=f"_INBOX_{OWN}".encode())
    await client.publish(subject, b"{}")
    await client.flush()
    await asyncio.sleep(0.5)
    await client.close()
    return told[0] if told else "published"


def query(user: str, statement: str) -> str:
    """Say what Postgres says."""
    try:
        with psycopg.connect(f"postgresql://{user}:{PASSWORD}@postgres:5432/millwright") as connection:
            connection.execute(statement)  # pyright: ignore[reportArgumentType, reportCallIssue] - ours, not LiteralString
    except psycopg.Error as error:
        return str(error)
    return "done"


def work_with(user: str, deed: Callable[[Minio], object]) -> str:
    """Say what S3 says to a name with our password."""
    client = Minio("minio:9000", access_key=user, secret_key=PASSWORD, secure=False, region="us-east-1")
    try:
        deed(client)
    except S3Error as error:
        return error.code or "refused"
    return "done"


async def main() -> None:
    """Try everything."""
    run = "00000000-0000-0000-0000-000000000000"
    said = {
        "log in to NATS as oneself": await log_in(OWN),
        "log in to NATS as the other": await log_in(OTHER),
        "say what only cad-worker may say": await publish(f"mw.design.validated.{run}.engineer.{run}"),
        "log in to Postgres as oneself": query(OWN, "SELECT 1"),
        "log in to Postgres as the other": query(OTHER, "SELECT 1"),
        "write the recorder's log": query(OWN, "DELETE FROM log.events"),
        "write the catalog": query(OWN, "DELETE FROM catalog.part"),
        "look for the bucket as oneself": work_with(OWN, lambda s3: s3.bucket_exists("millwright")),
        "look for the bucket as the other": work_with(OTHER, lambda s3: s3.bucket_exists("millwright")),
        "delete a blob": work_with(OWN, lambda s3: s3.remove_object("millwright", "sha256/00/none")),
        "make a bucket": work_with(OWN, lambda s3: s3.make_bucket("another")),
    }
    sys.stdout.write(json.dumps(said))


asyncio.run(main())
