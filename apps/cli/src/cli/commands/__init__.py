"""The subcommands of `millwright`, one module each; `cli.main` loads them by name."""
