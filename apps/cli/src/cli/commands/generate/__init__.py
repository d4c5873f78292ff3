"""`millwright generate`: new benchmarks."""

from cli.commands.generate.command import generate

__all__ = ["generate"]
