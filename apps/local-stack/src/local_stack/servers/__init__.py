"""NATS, Postgres and an S3 server as child processes."""
