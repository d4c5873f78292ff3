"""Retries and outages, purging the stream and rebuilding a lost one."""
