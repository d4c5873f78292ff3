"""Functions that run as jobs: from a request of `job_protocol` to its reply, in a child that never ran agent code."""
