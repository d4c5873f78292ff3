"""Judge designs from Python: `from millwright import judge`. No servers, no services, no model.

verdict = judge(Path("ramp.py"), "my-drop")
print(verdict.is_solved, verdict.headline)
"""

from millwright.judge import judge
from millwright.judged_design import JudgedDesign
from millwright.script import ScriptError
from millwright.verdict import DesignVerdict
from millwright.workshop import Workshop

__all__ = ["DesignVerdict", "JudgedDesign", "ScriptError", "Workshop", "judge"]
