"""`python -m cli` is `millwright`."""

from cli.main import main

if __name__ == "__main__":
    main()
