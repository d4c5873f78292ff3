"""What the skill-learner reads of a run, step by step and within a budget of tokens."""
