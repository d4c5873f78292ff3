"""Settings of the catalog's service."""

from agent.role_app import RoleServiceSettings
from pydantic import Field
from store.settings import DatabaseSettings


class Settings(RoleServiceSettings):
    """NATS, S3, Postgres and the models."""

    catalog_database_url: str | None = Field(default=None, repr=False)
    """The login of the queries that a model writes; it should be able to read the catalog and nothing else. None: the
    service's own login, which then needs the role of `store.catalog.reader`."""

    @property
    def catalog_database(self) -> DatabaseSettings:
        """The database, with the login for the catalog."""
        return DatabaseSettings(database_url=self.catalog_database_url or self.database_url)
