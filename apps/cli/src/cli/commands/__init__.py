"""One module for each command of `millwright`."""
