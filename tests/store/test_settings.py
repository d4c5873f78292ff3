"""Settings of the database."""

import pytest
from pydantic import ValidationError
from store.settings import DatabaseSettings


def test_url_is_converted_for_asyncpg():
    settings = DatabaseSettings(database_url="postgresql://me:p%40ss@db:5433/mill?sslmode=require")
    url = settings.asyncpg_url
    assert (url.drivername, url.host, url.port, url.database) == ("postgresql+asyncpg", "db", 5433, "mill")
    assert (url.password, dict(url.query)) == ("p@ss", {})
    assert settings.tls_parameters == {"sslmode": "require"}


@pytest.mark.parametrize("url", ["mysql://me:secret@db/x", "postgresql+asyncpg://me:secret@db/x", "me:secret"])
def test_other_url_is_refused_without_showing_the_password(url: str):
    with pytest.raises(ValidationError, match="postgresql://") as caught:
        DatabaseSettings(database_url=url)
    assert "secret" not in str(caught.value)


def test_url_is_read_from_environment_and_hidden_in_repr(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:secret@db/x")
    settings = DatabaseSettings.model_validate({})
    assert settings.asyncpg_url.host == "db"
    assert "secret" not in repr(settings)
