"""Replays a recorded run through the policy of a role as it is today, without servers and without a model."""
