"""Effects of any size, written so that a small one is no zero and rounding is no effect."""

from __future__ import annotations

import math

from app.labs.small import small
from components.theme import cell_number, num
from models.interventions.compare import NOISE_BITS, NOISE_TURN


def signed(bits: float) -> str:
    """A change in bits with its sign: "+0.31", "−2.40", "+3.1 × 10⁻³"; "≈ 0" for what may be rounding, "0" for none."""
    if bits == 0 or not math.isfinite(bits):
        return cell_number(bits)
    if abs(bits) < NOISE_BITS:
        return "≈ 0"
    text = num(bits) if abs(bits) >= 0.005 else small(bits)
    return f"+{text}" if bits > 0 else text


def turned(distance: float) -> str:
    """How far a vector turns: "0.0047", "2.1 × 10⁻⁶"; "≈ 0" for what may be rounding, "0" for none."""
    if distance == 0 or not math.isfinite(distance):
        return cell_number(distance)
    if distance < NOISE_TURN:
        return "≈ 0"
    return num(distance, 4) if distance >= 0.0005 else small(distance)
