"""Alembic's environment: runs in the connection of `store.migrate`, in a transaction that `store.migrate` commits."""

from alembic import context
from store.tables import OWN_SCHEMA, Table

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Table.metadata,
    version_table_schema=OWN_SCHEMA,
    include_schemas=True,
)
with context.begin_transaction():
    context.run_migrations()
