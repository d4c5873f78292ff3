"""An example of a package that extends Millwright: a method, a suite of benchmarks and a model provider."""
