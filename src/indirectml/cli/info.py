"""`indirectml info`."""

from __future__ import annotations

import argparse
import json
import platform
from typing import Any

import numpy as np

from indirectml import __version__, _native
from indirectml.catalogue import operator_names
from indirectml.catalogue.feature_levels import FeatureLevel
from indirectml.cli.common import DONE, Commands, Parser, add_command
from indirectml.core.settings import State, available_targets
from indirectml.descriptors.definitions import implemented_operators
from indirectml.devices import device_names


def add_info(commands: Commands, shared: Parser) -> None:
    """Add the command."""
    info = add_command(
        commands,
        shared,
        "info",
        summary="show version, instruction sets, threads, feature levels, operators",
        description="Show what this installation can do on this machine.",
        example="indirectml info --json",
    )
    info.add_argument("--json", action="store_true", help="as one JSON object")
    info.set_defaults(command=_info)


def _info(options: argparse.Namespace) -> int:
    facts = _facts()
    if options.json:
        print(json.dumps(facts, indent=2))
        return DONE
    for name, value in facts.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else value
        if name == "operators_implemented" and len(value) == facts["operators_known"]:
            shown = "all"
        print(f"{name.replace('_', ' '):24} {shown}")
    return DONE


def _facts() -> dict[str, Any]:
    policy = State.policy
    levels = list(FeatureLevel)
    return {
        "version": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "numpy": np.__version__,
        "compiler": _native.COMPILER,
        "system": f"{platform.system()} {platform.machine()}",
        "devices": list(device_names()),
        "instruction_sets": list(available_targets()),
        "instruction_set_in_use": policy.target,
        "threads": policy.max_threads,
        "cache_bytes": policy.streaming_bytes,
        "feature_levels": f"{levels[0]} to {levels[-1]}",
        "operators_known": len(operator_names()),
        "operators_implemented": list(implemented_operators()),
    }
