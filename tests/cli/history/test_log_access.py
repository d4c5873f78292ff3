"""Read access to an external database, which commands never change."""

import pytest
from cli.log_access import open_database
from local_stack.errors import UserError
from local_stack.settings import CliSettings
from sqlalchemy import make_url
from store.inspection import inspect
from store.migrate import migrate
from store.runs import RunSummaries
from store.settings import DatabaseSettings
from store.users import provision_users

PASSWORD = "secret-of-cli's"


async def test_user_with_read_access_lists_runs(empty_database_url: str) -> None:
    settings = DatabaseSettings(database_url=empty_database_url)
    await migrate(settings)
    await provision_users(settings, {"cli": PASSWORD})
    reader = make_url(empty_database_url).set(username="cli", password=PASSWORD)
    async with open_database(CliSettings(database_url=reader.render_as_string(hide_password=False))) as database:
        assert await RunSummaries(database.engine).newest(20) == []


async def test_unmigrated_database_is_refused_and_left_so(empty_database_url: str) -> None:
    with pytest.raises(UserError, match="`millwright migrate`"):
        async with open_database(CliSettings(database_url=empty_database_url)):
            pass
    state = await inspect(DatabaseSettings(database_url=empty_database_url), 5.0)
    assert state.schema_version is None
