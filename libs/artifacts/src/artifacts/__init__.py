"""Content-addressed blobs in S3."""
