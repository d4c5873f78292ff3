"""Runs the benchmark-generator as a process of its own."""

from chassis.process import run

from benchmark_generator.app import make_app
from benchmark_generator.settings import Settings

if __name__ == "__main__":
    run("benchmark-generator", lambda: make_app(Settings()))  # pyright: ignore[reportCallIssue] - the environment fills what has no default
