"""`./run test-deploy s3-users`: creates S3's users where SeaweedFS stands in for MinIO.

For running the commands of docs/deploy.md by hand; the users have the passwords of deploy/.env.example.
"""

import sys

from tests.deploy.containers.compose_project import ComposeProject

PROJECT = "millwright"
"""The name in deploy/compose.yaml, which the documented commands use."""


def main() -> None:
    """Start S3 as the documented commands do, create its users, and print the remaining step."""
    project = ComposeProject(PROJECT)
    project.provide_s3()
    if project.environment.get("MILLWRIGHT_S3_USERS") == "theirs":
        sys.stdout.write("users created; for `migrate` run: echo MILLWRIGHT_S3_USERS=theirs >>deploy/.env\n")
    else:
        sys.stdout.write("this is MinIO, whose users `migrate` creates: nothing was done\n")


if __name__ == "__main__":
    main()
