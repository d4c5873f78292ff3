"""Libraries that cells use, imported for their effect: children of the zygote have them at once."""

# ruff: noqa: F401, I001 - nothing is used here, and the first has to be the first
# pyright: reportUnusedImport=false, reportMissingTypeStubs=false, reportMissingImports=false

import matplotlib.pyplot  # first: it leaves a thread behind that takes a moment to end
import build123d
import numpy
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.spatial
import scipy.stats
import trimesh
