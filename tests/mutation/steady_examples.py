"""A pytest plugin of the campaign: random examples are the same in every run, and may take their time."""

from hypothesis import HealthCheck, settings

settings.register_profile("mutation", derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile("mutation")
