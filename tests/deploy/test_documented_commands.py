"""Which lines of docs/deploy.md the checks of containers type. Needs no engine."""

from tests.deploy.documented_commands import lines_in

PAGE = """
Begin; `docker compose up --wait` is the same; `docker compose -f mine.yaml …` depends.
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


def test_lines_are_typed_as_they_stand_unless_the_reader_has_to_fill_something_in() -> None:
    assert lines_in(PAGE) == [
        "docker compose up --wait",
        "cp a b",
        "docker compose run --rm -T cli tar      -c . | tar -x",
        'docker compose exec -T postgres psql -c "SELECT 1"',
        "docker compose down",
        "docker compose --profile command down --volumes",
    ]
