"""The GPU half of perception: learned models behind the protocol of perception-worker."""
