"""The commands that the checks of containers take from docs/deploy.md. Needs no engine."""

from tests.deploy.containers.documented_commands import commands_in

PAGE = """
Begin; `docker compose up --wait` is the same; `docker compose -f mine.yaml …` depends, and `docker compose -f
mine.yaml -f yours.yaml …` is a command of two lines.
```sh
# first the file
cp a b
docker compose run --rm -T cli tar \\
    -c . | tar -x
docker compose up --wait
docker compose exec -T postgres psql -c "SELECT 1"
docker compose run --rm cli events …
docker compose down
```
`docker compose --profile command down --volumes` forgets. `./run test-deploy` and `docker build .` are something else.
"""


def test_commands_are_those_without_placeholders() -> None:
    assert commands_in(PAGE) == [
        "docker compose up --wait",
        "cp a b",
        "docker compose run --rm -T cli tar      -c . | tar -x",
        'docker compose exec -T postgres psql -c "SELECT 1"',
        "docker compose down",
        "docker compose --profile command down --volumes",
    ]
