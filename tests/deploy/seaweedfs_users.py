"""Where the image named minio/minio is SeaweedFS, as on one machine: its users, made by its own shell.

They have the names, keys and rights that `migrate` gives them in MinIO.
"""

from typing import Protocol

from artifacts.users import USERS, policy

from tests.deploy.passwords import password_of

BUCKET = "millwright"


class Server(Protocol):
    """What we need of the composition."""

    def tried(self, *words: str, given: str = "") -> tuple[int, str]: ...


def is_stood_in_for(server: Server) -> bool:
    """Tell whether SeaweedFS answers under MinIO's name."""
    code, printed = server.tried("exec", "-T", "minio", "sh", "-c", "command -v weed || echo none")
    assert code == 0, printed
    return printed.strip() != "none"


def introduce(server: Server) -> None:
    """Make the users; those that exist keep what they may."""
    for user in USERS:
        place = f"/tmp/{user}.json"
        rights = policy(user, BUCKET).model_dump_json(by_alias=True)
        _told(server, rights, "sh", "-c", f"cat >{place}")
        commands = (
            f"s3.policy -put -name=millwright-{user} -file={place}",
            f"s3.user.create -name {user} -access_key {user} -secret_key {password_of(user)}",
            f"s3.policy.attach -policy millwright-{user} -user {user}",
        )
        _told(server, "\n".join(commands), "weed", "shell")


def _told(server: Server, given: str, *words: str) -> None:
    code, printed = server.tried("exec", "-T", "minio", *words, given=given)
    errors = [line for line in printed.splitlines() if "error" in line.lower() and "AlreadyExists" not in line]
    assert code == 0 or "AlreadyExists" in printed, printed
    assert errors == [], printed
