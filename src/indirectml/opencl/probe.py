"""What a device computes, compared with this CPU: no driver is trusted before."""

from __future__ import annotations

from indirectml.opencl.launches import Abilities
from indirectml.opencl.platforms import Facts


def abilities_of(facts: Facts) -> Abilities:
    """Return what a device can."""
    defines = []
    if facts.has_float64:
        defines.append("HAS_FLOAT64")
    if facts.has_fma and facts.has_subnormals:
        defines.append("FUSED_BY_DEVICE")
    if facts.divides and facts.has_subnormals:
        defines.append("DIVIDED_BY_DEVICE")
    types = ["float32", *(["float64"] if facts.has_float64 else [])]
    right = {
        f"{name} {type_}" for name in ("add", "subtract", "multiply", "divide") for type_ in types
    }
    return Abilities(
        frozenset(right),
        facts.has_float64,
        facts.local_bytes,
        facts.group_size,
        facts.units,
        tuple(defines),
        facts.vector_width,
    )
