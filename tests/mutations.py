"""Shows that the native checks would notice a mistake: `python -m tests.mutations`.

Each breakage of mutations.toml is applied to a copy of the native code, a suite is built and run,
and has to fail. Ends with exit code 1 if one passes. `--list` names them; `--only TEXT` takes those
whose name contains it.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.native.building import ARM, ROOT, configure, find_tool

TABLE = Path(__file__).with_suffix(".toml")
CPU_INFO = Path("/proc/cpuinfo")
#: What a build may take on a slow machine, and a suite before anything is broken.
BUILD_S = 600
#: A breakage that never ends is noticed after a minute and so many times what a suite took before.
TIMES = 4


@dataclass(frozen=True)
class Mutation:
    """A breakage: a text in a file that becomes another one, and the suite that must notice."""

    name: str
    file: str
    why: str
    old: str
    new: str
    suite: str = "check_native"

    @property
    def missing(self):
        """What this machine lacks: programs, or what runs the instructions of the file."""
        lacking = [flag for part, flag in _INSTRUCTIONS.items() if part in self.file]
        known = CPU_INFO.read_text(encoding="utf-8") if CPU_INFO.exists() else " ".join(lacking)
        return SUITES[self.suite].missing + [flag for flag in lacking if flag not in known.split()]

    def applied(self, source):
        """Return the broken text of a file; the text to replace has to be there exactly once."""
        found = source.count(self.old)
        if found != 1:
            where = f"{TABLE.name}: {self.name}: native/{self.file}"
            raise ValueError(f"{where} needs the old text exactly once, got it {found} times")
        return source.replace(self.old, self.new)


def load():
    """Return all breakages, in the order of the table."""
    return [Mutation(**row) for row in tomllib.loads(TABLE.read_text(encoding="utf-8"))["mutation"]]


@dataclass(frozen=True)
class Suite:
    """How a suite is built and run."""

    target: str | None  # of CMake; None if nothing is built
    commands: tuple  # of words; {program} stands for what was built
    options: tuple = ()

    @property
    def missing(self):
        """The programs that this machine lacks."""
        words = [command[0] for command in self.commands if command[0] != "{program}"]
        needed = [*words, *(["cmake"] if self.target else [])]
        compilers = [o.partition("=")[2] for o in self.options if "CXX_COMPILER=" in o]
        return [name for name in (*needed, *compilers) if find_tool(name) is None]


#: CMake options for the portable target alone.
PORTABLE = ("-DINDIRECTML_FOR_X86_64=OFF", "-DINDIRECTML_FOR_ARM64=OFF")
#: Where compiling takes longer than running.
_FAST = ("-DINDIRECTML_OPTIMIZATION=-O0",)
#: What /proc/cpuinfo calls instructions that a processor may lack, by the names of their files.
_INSTRUCTIONS = {"amx": "amx_int8", "avx512": "avx512f"}
#: What reads the sources.
_SOURCE = "tests/native/test_native.py"

SUITES = {
    "check_native": Suite("check_native", (("{program}",),)),
    "check_contraction": Suite("check_contraction", (("{program}",),), _FAST),
    "check_contraction, portable": Suite(
        "check_contraction", (("{program}",),), (*_FAST, *PORTABLE)
    ),
    "check_native, portable": Suite("check_native", (("{program}",),), (*_FAST, *PORTABLE)),
    "check_sums": Suite("check_sums", (("{program}",),), _FAST),
    "check_moving": Suite("check_moving", (("{program}",),), (*_FAST, *PORTABLE)),
    "check_regions": Suite("check_regions", (("{program}",),), (*_FAST, *PORTABLE)),
    "check_programs": Suite("check_programs", (("{program}", "500"),), (*_FAST, *PORTABLE)),
    "check_programs, all targets": Suite("check_programs", (("{program}", "500"),), _FAST),
    "check_quotients": Suite(
        "check_quotients", (("{program}", "0"),), ("-DINDIRECTML_OPTIMIZATION=-O1",)
    ),
    "check_recurrence": Suite("check_recurrence", (("{program}",),), (*_FAST, *PORTABLE)),
    "check_attention": Suite("check_attention", (("{program}",),), (*_FAST, *PORTABLE)),
    "check_weights": Suite("check_weights", (("{program}",),), _FAST),
    "check_settling": Suite("check_settling", (("{program}", "800"),), _FAST),
    "check_threads": Suite(
        "check_threads",
        (("{program}",),),
        (*_FAST, *PORTABLE, "-DINDIRECTML_SANITIZE=thread"),
    ),
    "check_exhaustive": Suite(
        "check_exhaustive",
        (
            ("{program}", "--format", "8,5"),
            ("{program}", "--format", "16,11", "--stride", "101"),
        ),
    ),
    "check_native on Arm": Suite(
        "check_native",
        (("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "{program}"),),
        ARM,
    ),
    "source": Suite(None, ((sys.executable, "-m", "pytest", "-q", _SOURCE, "-k", "fenced"),)),
}


class Workshop:
    """A copy of the native code, with one build folder for each suite."""

    def __init__(self, folder):
        self.folder = folder
        self.limits = {}  # seconds that each suite may take
        for name in ("native", "tests"):
            shutil.copytree(ROOT / name, folder / name)
        for name in ("CMakeLists.txt", "pyproject.toml"):
            shutil.copy(ROOT / name, folder / name)

    def run(self, *command, timeout_s=BUILD_S):
        """Return the exit code of a program and what it printed; None where it does not end."""
        try:
            done = subprocess.run(
                command, cwd=self.folder, capture_output=True, text=True, timeout=timeout_s,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None, f"no end after {timeout_s} s"
        return done.returncode, done.stdout + done.stderr

    def verdict(self, name):
        """Return why a suite fails, or None if it passes."""
        suite = SUITES[name]
        program = ""
        if suite.target:
            build = self.folder / "build" / name.replace(" ", "_")
            if not build.exists():
                configure(build, *suite.options, source=self.folder)
            command = (find_tool("cmake"), "--build", build, "--target", suite.target)
            code, text = self.run(*command)
            if code != 0:
                raise RuntimeError(f"{suite.target} cannot be built:\n{text}")
            program = str(build / suite.target)
        begin = time.monotonic()
        for words in suite.commands:
            command = (program if word == "{program}" else word for word in words)
            code, text = self.run(*command, timeout_s=self.limits.get(name, BUILD_S))
            if code != 0:
                return text.strip().splitlines()[-1] if text.strip() else f"exit code {code}"
        self.limits.setdefault(name, 60 + TIMES * (time.monotonic() - begin))
        return None

    def try_out(self, mutation):
        """Return why the suite of a breakage fails, or None if it passes: a survivor."""
        path = self.folder / "native" / mutation.file
        source = path.read_text(encoding="utf-8")
        path.write_text(mutation.applied(source), encoding="utf-8")
        try:
            return self.verdict(mutation.suite)
        finally:
            path.write_text(source, encoding="utf-8")


def main():
    """Try the breakages; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument("--only", metavar="TEXT", default="", help="those whose name contains it")
    parser.add_argument("--list", action="store_true", help="name them and end")
    options = parser.parse_args()
    mutations = [m for m in load() if options.only in m.name]
    if not mutations:
        parser.error(f"no name contains {options.only!r}; --list has them all")
    if options.list:
        print(*(f"{m.file}: {m.name} ({m.why})" for m in mutations), sep="\n")
        return 0
    survivors, skipped = [], []
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(Path(folder))
        for suite in sorted({m.suite for m in mutations}):
            missing = SUITES[suite].missing
            failure = None if missing else workshop.verdict(suite)
            if failure:
                raise RuntimeError(f"{suite} fails before anything is broken: {failure}")
        for mutation in mutations:
            begin = time.monotonic()
            if missing := mutation.missing:
                skipped.append(mutation)
                print(f"skipped   {mutation.file}: {mutation.name}: missing {', '.join(missing)}")
                continue
            failure = workshop.try_out(mutation)
            seconds = time.monotonic() - begin
            word = "killed  " if failure else "SURVIVED"
            print(f"{word}  {mutation.file}: {mutation.name} [{mutation.suite}, {seconds:.0f} s]")
            print(f"          {(failure or mutation.why)[:160]}", flush=True)
            if not failure:
                survivors.append(mutation)
    killed = len(mutations) - len(survivors) - len(skipped)
    print(f"{killed} killed, {len(survivors)} survived, {len(skipped)} skipped")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
