"""Foreign benchmarks: definitions in YAML with boxes of minima and maxima, read into the format of Millwright."""
