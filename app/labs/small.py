"""Numbers of any size, written short."""

from __future__ import annotations

from components.theme import num

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def small(value: float) -> str:
    """ "0.28", "0.0312", "1.7 × 10⁻⁵", an exact "0": for differences, which may be rounding errors."""
    size = abs(value)
    if value == 0 or size >= 0.1:
        return "0" if value == 0 else num(value)
    if size >= 0.001:
        return num(value, 4)
    mantissa, power = f"{size:.1e}".split("e")
    sign = "−" if value < 0 else ""
    return f"{sign}{mantissa} × 10{str(int(power)).translate(_RAISED)}"
