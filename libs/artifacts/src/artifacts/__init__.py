"""Artifacts: content-addressed blobs in S3, uploaded from a local spool."""
