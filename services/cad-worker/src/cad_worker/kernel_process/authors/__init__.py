"""The kernel of an author of benchmarks: its namespace, and the worlds that it builds."""
