"""`indirectml info`."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from indirectml import __version__, _native
from indirectml.catalogue import operator_names
from indirectml.catalogue.feature_levels import FeatureLevel
from indirectml.cli.common import DONE, Commands, Parser, Steps, add_command
from indirectml.core.errors import DeviceUnavailableError
from indirectml.core.settings import Settings, available_targets
from indirectml.descriptors.definitions import implemented_operators
from indirectml.devices import device_names, examined_device, found_devices
from indirectml.models.problems import printable


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
    info.add_argument(
        "--probe",
        action="store_true",
        help="try at length what each device computes that is not the CPU, which takes a while",
    )
    info.add_argument("--json", action="store_true", help="as one JSON object")
    info.set_defaults(command=_info)


def _info(options: argparse.Namespace) -> int:
    facts = _facts()
    if options.probe:
        facts["probe"] = _probed(facts["found_devices"])
    if options.json:
        print(json.dumps(facts, indent=2))
        return DONE
    for name, value in facts.items():
        if isinstance(value, dict):
            continue
        shown = ", ".join(map(str, value)) if isinstance(value, list) else value
        if name == "operators_implemented" and len(value) == facts["operators_known"]:
            shown = "all"
        print(f"{name.replace('_', ' '):24} {shown}")
    for name, line in facts["found_devices"].items():
        print(printable(f"device {name:17} {line}"))
    for name, lines in facts.get("probe", {}).items():
        print(f"\nwhat {name} computes, and how many results are wrong")
        print("".join(f"  {printable(line)}\n" for line in lines), end="")
    return DONE


def _probed(devices: Mapping[str, str]) -> dict[str, list[str]]:
    """Return what devices compute, as far as they are there and there is something to try."""
    found = {}
    for name in devices:
        with suppress(DeviceUnavailableError), Steps(f"trying {name}"):
            found[name] = list(examined_device(name))
    return {name: lines for name, lines in found.items() if lines}


def _facts() -> dict[str, Any]:
    policy = Settings.policy
    levels = list(FeatureLevel)
    return {
        "version": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "numpy": np.__version__,
        "compiler": _native.COMPILER,
        "system": f"{platform.system()} {platform.machine()}",
        "devices": list(device_names()),
        "found_devices": found_devices(),
        "instruction_sets": list(available_targets()),
        "instruction_set_in_use": policy.target,
        "threads": policy.max_threads,
        "cache_bytes": policy.streaming_bytes,
        "feature_levels": f"{levels[0]} to {levels[-1]}",
        "operators_known": len(operator_names()),
        "operators_implemented": list(implemented_operators()),
    }
