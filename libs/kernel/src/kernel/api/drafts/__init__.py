"""What the kernel of an author of benchmarks offers its cells."""
