"""matplotlib's backend in a kernel: `plt.show()` passes every open figure to `show()` and closes them."""

# pyright: reportUnknownMemberType=false
# matplotlib leaves the state of its managers untyped.

from kernel.api import engineer_api
from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg


class FigureManager(FigureManagerBase):
    """Shows figures as images of the cell."""

    @classmethod
    def pyplot_show(cls, *, block: bool | None = None) -> None:  # noqa: ARG003 - matplotlib's signature
        """Show all figures, oldest first."""
        figures = [manager.canvas.figure for manager in Gcf.get_all_fig_managers()]
        Gcf.destroy_all()
        if figures:
            engineer_api.show(*figures)


class FigureCanvas(FigureCanvasAgg):
    """Draws in memory."""

    manager_class = FigureManager  # pyright: ignore[reportAssignmentType, reportIncompatibleVariableOverride] - by design
