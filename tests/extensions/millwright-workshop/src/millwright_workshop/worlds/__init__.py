"""A suite: a folder for each benchmark. `workshop` runs all of it, `workshop-step-down` this one."""
