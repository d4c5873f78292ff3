"""`utils`, as agents import it."""

import re
from importlib import resources
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from contracts.models.mechanism import Constant, Oscillation, Positions, Steps
from kernel.api.reviews import reviewer_utils
from pydantic import ValidationError


def _utils() -> ModuleType:
    path = Path(str(resources.files("kernel"))) / "baked" / "utils" / "__init__.py"
    spec = spec_from_file_location("utils", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("module", [_utils(), reviewer_utils], ids=["engineer", "critic"])
def test_utils_documents_every_exported_name(module: ModuleType) -> None:
    documentation = module.__doc__ or ""
    for name in module.__all__:
        assert hasattr(module, name)
        assert re.search(rf"\b{name}\b", documentation), name


def test_standard_names_precede_their_older_aliases() -> None:
    utils = _utils()
    assert utils.bonded is utils.glue
    assert utils.fastened is utils.screw
    assert utils.carried("hinge", "608zz") == utils.bearing("608zz", joint="hinge")


def test_motor_programs_are_written_with_or_without_names() -> None:
    utils = _utils()
    assert utils.Constant(0.4) == utils.Constant(share=0.4) == Constant(share=0.4)
    assert utils.Steps([0, 2], [1, 0]) == Steps(times_s=(0, 2), shares=(1, 0))
    assert (
        utils.Positions([1], [60])
        == utils.Positions(times_s=[1], targets=[60])
        == Positions(times_s=(1,), targets=(60,))
    )
    assert utils.Oscillation(20, 0.5, phase_deg=90) == Oscillation(amplitude=20, frequency_hz=0.5, phase_deg=90)
    with pytest.raises(ValidationError, match="share"):
        utils.Constant(1.4)
