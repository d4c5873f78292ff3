"""matplotlib's backend in a kernel: `plt.show()` shows every open figure as `show()` would, and closes them."""

# pyright: reportUnknownMemberType=false
# matplotlib leaves the state of its managers open.

from kernel.api import engineering
from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg


class FigureManager(FigureManagerBase):
    """Shows on the agent's screen."""

    @classmethod
    def pyplot_show(cls, *, block: bool | None = None) -> None:  # noqa: ARG003 - nothing here could wait
        """Show all figures, oldest first."""
        figures = [manager.canvas.figure for manager in Gcf.get_all_fig_managers()]
        Gcf.destroy_all()
        if figures:
            engineering.show(*figures)


class FigureCanvas(FigureCanvasAgg):
    """Draws in memory."""

    manager_class = FigureManager  # pyright: ignore[reportAssignmentType, reportIncompatibleVariableOverride] - by design
