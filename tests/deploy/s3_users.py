"""`./run test-deploy s3-users`: make S3's users where SeaweedFS answers under MinIO's name.

For trying the README's lines by hand; they have the passwords of deploy/.env.example.
"""

import sys

from tests.deploy.composition import Composition

README_PROJECT = "millwright"


def main() -> None:
    """Start S3 as the README's lines would, make its users, and tell what is still to be typed."""
    composition = Composition(README_PROJECT)
    composition.provide_s3()
    if composition.environment.get("MILLWRIGHT_S3_USERS") == "theirs":
        sys.stdout.write("users are made; `migrate` is told so by: echo MILLWRIGHT_S3_USERS=theirs >>deploy/.env\n")
    else:
        sys.stdout.write("this is MinIO, whose users `migrate` makes: nothing was done\n")


if __name__ == "__main__":
    main()
