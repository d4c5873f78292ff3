"""Skill-learner: writes skills from the failures of a run that succeeded."""
