"""Runs in a role's container by `python -`: tries to act as another service, and prints the servers' answers as JSON.

Arguments: the service's own name and password, and the name of the other service.
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
    """Return NATS' answer to a user with our password."""
    errors: list[str] = []

    async def note(error: Exception) -> None:
        errors.append(str(error))

    address = f"nats://{user}:{PASSWORD}@nats:4222"
    try:
        client = await nats.connect(address, error_cb=note, max_reconnect_attempts=1, reconnect_time_wait=0.1)
    except NatsError as error:
        return errors[0] if errors else str(error)
    await client.close()
    return "logged in"


async def publish(subject: str) -> str:
    """Return NATS' answer when we publish, as ourselves, a subject of another service."""
    errors: list[str] = []

    async def note(error: Exception) -> None:
        errors.append(str(error))

    address = f"nats://{OWN}:{PASSWORD}@nats:4222"
    client = await nats.connect(address, error_cb=note, inbox_prefix=f"_INBOX_{OWN}".encode())
    await client.publish(subject, b"{}")
    await client.flush()
    await asyncio.sleep(0.5)
    await client.close()
    return errors[0] if errors else "published"


def query(user: str, statement: str) -> str:
    """Return Postgres' answer."""
    try:
        with psycopg.connect(f"postgresql://{user}:{PASSWORD}@postgres:5432/millwright") as connection:
            connection.execute(statement)  # pyright: ignore[reportArgumentType, reportCallIssue] - ours, not LiteralString
    except psycopg.Error as error:
        return str(error)
    return "done"


def call_s3(user: str, call: Callable[[Minio], object]) -> str:
    """Return S3's answer to a user with our password."""
    client = Minio("minio:9000", access_key=user, secret_key=PASSWORD, secure=False, region="us-east-1")
    try:
        call(client)
    except S3Error as error:
        return error.code or "refused"
    return "done"


async def main() -> None:
    """Make all attempts."""
    run = "00000000-0000-0000-0000-000000000000"
    answers = {
        "log in to NATS as itself": await log_in(OWN),
        "log in to NATS as the other": await log_in(OTHER),
        "publish what only cad-worker may publish": await publish(f"mw.design.validated.{run}.engineer.{run}"),
        "log in to Postgres as itself": query(OWN, "SELECT 1"),
        "log in to Postgres as the other": query(OTHER, "SELECT 1"),
        "write the recorder's log": query(OWN, "DELETE FROM log.events"),
        "write the catalog": query(OWN, "DELETE FROM catalog.part"),
        "look for the bucket as itself": call_s3(OWN, lambda s3: s3.bucket_exists("millwright")),
        "look for the bucket as the other": call_s3(OTHER, lambda s3: s3.bucket_exists("millwright")),
        "delete an artifact": call_s3(OWN, lambda s3: s3.remove_object("millwright", "sha256/00/none")),
        "create a bucket": call_s3(OWN, lambda s3: s3.make_bucket("another")),
    }
    sys.stdout.write(json.dumps(answers))


asyncio.run(main())
