"""What authors of benchmarks read about their worlds."""
