"""Skill-learner: proposes changes of skills from runs, tries them, and offers what helps."""
