"""Commands for operators: tables, stream, permissions, stored files and stacks."""
