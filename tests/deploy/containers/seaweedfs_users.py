"""Users of a SeaweedFS that stands in for MinIO, created in its own shell.

They have the names, keys and rights that `migrate` gives them in MinIO.
"""

from typing import Protocol

from artifacts.users import USERS, policy

from tests.deploy.containers.passwords import password_of

BUCKET = "millwright"


class Server(Protocol):
    """The part of a Compose project that is used here."""

    def attempt(self, *arguments: str, given: str = "") -> tuple[int, str]: ...


def is_seaweedfs(server: Server) -> bool:
    """Return whether the container named minio runs SeaweedFS."""
    code, printed = server.attempt("exec", "-T", "minio", "sh", "-c", "command -v weed || echo none")
    assert code == 0, printed
    return printed.strip() != "none"


def create_users(server: Server) -> None:
    """Create the users; existing ones keep their rights."""
    for user in USERS:
        file = f"/tmp/{user}.json"
        rights = policy(user, BUCKET).model_dump_json(by_alias=True)
        _run(server, rights, "sh", "-c", f"cat >{file}")
        commands = (
            f"s3.policy -put -name=millwright-{user} -file={file}",
            f"s3.user.create -name {user} -access_key {user} -secret_key {password_of(user)}",
            f"s3.policy.attach -policy millwright-{user} -user {user}",
        )
        _run(server, "\n".join(commands), "weed", "shell")


def _run(server: Server, stdin: str, *arguments: str) -> None:
    code, printed = server.attempt("exec", "-T", "minio", *arguments, given=stdin)
    errors = [line for line in printed.splitlines() if "error" in line.lower() and "AlreadyExists" not in line]
    assert code == 0 or "AlreadyExists" in printed, printed
    assert errors == [], printed
