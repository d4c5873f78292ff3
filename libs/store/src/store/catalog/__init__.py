"""The catalog of bought parts in Postgres: its tables, its data and its queries."""
