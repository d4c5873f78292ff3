"""What `perf.workbenches` measures with."""
