"""All manufacturing methods by their id."""

from contracts.models.design import Method

from parts_catalog.methods.method import MethodFacts
from parts_catalog.methods.milling import MILLING
from parts_catalog.methods.moulding import MOULDING
from parts_catalog.methods.printing import PRINTING
from parts_catalog.methods.sheet_metal.facts import SHEET_METAL
from parts_catalog.methods.turning.facts import TURNING

METHODS: dict[Method, MethodFacts] = {facts.id: facts for facts in (MILLING, PRINTING, MOULDING, TURNING, SHEET_METAL)}
