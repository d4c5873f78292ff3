"""The benchmark-generator: a role that invents benchmarks."""
