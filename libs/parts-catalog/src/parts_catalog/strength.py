"""Admissible stresses of made parts and of threads in them: strength, what the process leaves of it, and safety.

Strengths and moduli are those of `materials`. Pull tests of printed PLA across its layers give 50 to 70 % of the
strength along them (kapycad.com, layer adhesion, 2025); a design does not say how a part lies in the printer, so the
lower end counts for every direction. Sintered PA12 is nearly the same in all directions (makers' data sheets differ by
10 to 20 %). Weld lines of mouldings are an estimate. The safety factors are the usual ones of machine design for loads
that are known: 1.5 against the yield of metals, 2 for plastics, which also creep.
"""

from math import inf, pi

from contracts.models.design import Method

from parts_catalog.fasteners import COARSE_PITCH_MM
from parts_catalog.materials import MATERIALS, METALS, Material
from parts_catalog.methods.registry import METHODS

RUBBER_MPA = 8.0
"""Strength that counts for a material without a yield point: TPU 95A at about 25 % strain, an estimate."""
SINTERED_SHARE = 0.8
SAFETY_METAL, SAFETY_PLASTIC, SAFETY_BLOW = 1.5, 2.0, 1.5
POISSON_METAL, POISSON_PLASTIC, POISSON_RUBBER = 0.3, 0.38, 0.48
"""Mid values of published ranges: 0.27 to 0.35, 0.33 to 0.42 and 0.47 to 0.5."""
SHEAR_SHARE = 0.577
"""Shear strength over tensile strength, by the distortion energy of von Mises."""
ENDURANCE_STEEL, ENDURANCE_METAL, ENDURANCE_PLASTIC = 0.4, 0.3, 0.18
"""Amplitude that a part bears without end, over its strength. Steel: half of the tensile strength, four fifths for a
machined surface (Shigley, Mechanical Engineering Design, 6-8 and 6-9); 304: 0.45 of the tensile strength (Johansson and
Nordberg, fatigue properties of stainless steel, scribd.com 61571302), 240 of 600 MPa (jawaymetal.com), 1.1 times its
yield strength here. Other metals have no limit: at 5e8 cycles, 14479 / sqrt(N) + 96.5 = 97 of 310 MPa fitted to
aluminium 6061-T6 (engineersedge.com, fatigue design curves, read 2026; data of MIL-HDBK-5D, 1984, and others); for
brass, no figure was found. Plastics: the low end of 0.18 to 0.43 (Carvill, Mechanical Engineer's Data Handbook, 1993,
p. 19). Sintered PA12 bears 15 MPa in rotating bending in all directions, 0.34 of the strength here (Munguia and
Dalgarno, eprints.ncl.ac.uk/209160). For printed PLA and for ABS, no limit was found."""
ENDURANCES = {"pc": 0.09, "pom": 0.076}
"""Of plastics that are worse. Polycarbonate: 800 psi, 5.5 of 62 MPa, at 1e7 cycles by ASTM D671, beside 5,200 psi of
nylon 66 (Plasco, fatigue endurance of reinforced thermoplastics, read 2026). POM: 5.0 of 66 MPa, the low end of 5.0 to
6.0 at 20 kHz, which may heat it (koreascience.or.kr JAKO201523964822098, 2015): careful."""
CREEP_SHARE = 0.25
"""Of its strength, that a plastic bears for years: the low end of the usual quarter to half, at which none of the
materials here strains by more than the 1 % that a design may (brittle ones 0.5 %: Crawford, Plastics Engineering, 3rd
ed., 1998, p. 19); PLA 0.4, POM 0.5, PC 0.7 %."""
LEAST_LEWIS_TEETH = 10.0
ENVIRONMENT_MPA = 20.0
"""Admissible stress of an environment solid, of which no material is known: half of a plastic's or hardwood's 40."""


def strength_mpa(material: Material) -> float:
    """Return the strength of a material before any factor: its yield strength."""
    return RUBBER_MPA if material.yield_mpa is None else material.yield_mpa


def max_stress_mpa(material: Material, method: Method) -> float:
    """Return the admissible stress of a part: strength times the share that the process leaves, over safety."""
    share = SINTERED_SHARE if material.id == "pa12-sls" else METHODS[method].strength_share
    return strength_mpa(material) * share / safety(material)


def safety(material: Material) -> float:
    """Return the factor of safety that an admissible stress contains."""
    return SAFETY_METAL if material.id in METALS else SAFETY_PLASTIC


def max_blow_mpa(material: Material, method: Method) -> float:
    """Return the admissible stress at the peak of a blow: plastics do not creep in milliseconds."""
    return max_stress_mpa(material, method) * safety(material) / SAFETY_BLOW


def cyclic_share(material: Material) -> float:
    """Return the share of the admissible stress that a part bears in every cycle: from none to all and back.

    By Goodman's line, peak = 2 endurance / (1 + endurance / tensile strength), with the yield strength for the tensile
    strength, which is careful; no further factor, since endurances are the low end of what is published.
    """
    endurance = ENDURANCES.get(material.id, ENDURANCE_PLASTIC)
    if material.id in METALS:
        is_steel = material.id.split("-")[0] in {"steel", "stainless"}
        endurance = ENDURANCE_STEEL if is_steel else ENDURANCE_METAL
    return min(1.0, safety(material) * 2 * endurance / (1 + endurance))


def creep_share(material: Material) -> float:
    """Return the share of the admissible stress above which a part creeps under a constant load; metals: infinite."""
    return inf if material.id in METALS else CREEP_SHARE * SAFETY_PLASTIC


def modulus_mpa(material: Material, method: Method) -> float:
    """Return Young's modulus of a part."""
    return material.modulus_gpa * 1000 * METHODS[method].stiffness_share


def poisson_ratio(material: Material) -> float:
    """Return Poisson's ratio of a material."""
    if material.yield_mpa is None:
        return POISSON_RUBBER
    return POISSON_METAL if material.id in METALS else POISSON_PLASTIC


def thread_n(diameter_mm: float, engaged_mm: float, stress_mpa: float) -> float:
    """Return the pull-out force of a coarse screw thread in a part of this admissible tensile stress.

    The part's thread shears at the screw's outer diameter over 0.875 of its circumference: the shear area of an
    internal thread by FED-STD-H28/2, pi n L d (1/(2 n) + 0.577 (d - d2)), with pitch 1/n and pitch diameter d2 of
    ISO 724 without tolerances.
    """
    pitch_mm = COARSE_PITCH_MM[diameter_mm]
    pitch_diameter_mm = diameter_mm - 0.6495 * pitch_mm
    share = (pitch_mm / 2 + 0.57735 * (diameter_mm - pitch_diameter_mm)) / pitch_mm
    return SHEAR_SHARE * stress_mpa * pi * diameter_mm * engaged_mm * share


def tooth_n(width_mm: float, module_mm: float, teeth: float, stress_mpa: float) -> float:
    """Return the tangential force that a spur tooth bears, by Lewis: stress x face width x module x form factor.

    The form factor is that of a load near the pitch point, where one pair of teeth carries it alone: 0.82 - 5.6 / z, as
    makers of plastics list it for full-depth teeth of 20 degrees within 10 % (0.54 for 20 teeth, 0.82 for a rack, which
    has endless ones). Wheels of fewer than ten teeth count as of ten, undercut aside.
    """
    return stress_mpa * width_mm * module_mm * (0.82 - 5.6 / max(teeth, LEAST_LEWIS_TEETH))


def shaft_torque_n_m(diameter_mm: float, stress_mpa: float) -> float:
    """Return the torque that a round shaft bears."""
    return SHEAR_SHARE * stress_mpa * pi * diameter_mm**3 / 16 / 1000


def shaft_moment_n_m(diameter_mm: float, stress_mpa: float, torque_n_m: float) -> float:
    """Return the bending moment that a round shaft bears beside a torque, by von Mises; at least half of its own."""
    alone_n_m = stress_mpa * pi * diameter_mm**3 / 32 / 1000
    return max(alone_n_m**2 - 0.75 * torque_n_m**2, alone_n_m**2 / 4) ** 0.5


METAL_HOUSING_MPA = max_stress_mpa(MATERIALS["aluminum-6061"], "cnc")
"""Admissible stress of bought bodies, into whose housings screws go."""
