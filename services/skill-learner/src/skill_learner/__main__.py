"""Runs the skill-learner as a process of its own."""

from chassis.process import run

from skill_learner.app import make_app
from skill_learner.settings import Settings

if __name__ == "__main__":
    run("skill-learner", lambda: make_app(Settings()))  # pyright: ignore[reportCallIssue] - the environment fills what has no default
