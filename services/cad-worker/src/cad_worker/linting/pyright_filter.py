"""Which of pyright's findings mean an error for sure: the library's types say less than its objects can do."""

import re

GIVEN_ATTRIBUTES = frozenset(["metadata"])
"""What no class of the library declares, and every part of a design must have."""

_ATTRIBUTE = re.compile(r'attribute "(?P<name>\w+)" for class "(?P<owner>[^"]*)')


def is_surely_wrong(rule: str, message: str) -> bool:
    """Tell whether a finding is to be believed.

    An attribute that agents give to parts is no fault, and neither is one of a class that nobody knows.
    """
    if rule != "reportAttributeAccessIssue":
        return True
    found = _ATTRIBUTE.search(message)
    return found is None or found["name"] not in GIVEN_ATTRIBUTES
