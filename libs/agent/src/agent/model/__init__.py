"""Models: providers, endpoints, failures, prices."""
