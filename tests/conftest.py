"""What every test may ask for: so far, a real counterpart that has to be installed first."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Protocol

import pytest

TESTS = Path(__file__).resolve().parent
EMULATORS = TESTS.parent / ".emulators"
OPTIONAL_COMPONENTS = TESTS / "optional-components.txt"


class RequireComponent(Protocol):
    """What the fixture ``require_component`` gives."""

    def __call__(self, name: str, install_hint: str, *, found: str | Path | None = None) -> Path: ...


def find_command(name: str) -> Path | None:
    """Where the command *name* is: in an environment made by ``make emulators``, else on PATH."""
    folders = sorted(str(folder) for folder in EMULATORS.glob("*/bin"))
    path = shutil.which(name, path=os.pathsep.join([*folders, os.environ.get("PATH", os.defpath)]))
    return Path(path) if path else None


def optional_components() -> dict[str, str]:
    """Name to cause of the components that may be lacking even in CI. A line that is not ``name: cause`` is an error."""
    causes = {}
    for number, line in enumerate(OPTIONAL_COMPONENTS.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, cause = (part.strip() for part in line.partition(":"))
        if not name or not cause:
            raise pytest.UsageError(f"{OPTIONAL_COMPONENTS.name}, line {number}: write `name: cause`, not {line!r}")
        causes[name] = cause
    return causes


@pytest.fixture(scope="session")
def require_component() -> RequireComponent:
    """
    Give the path of an installed component, or leave the test out and say what to install.

    ``require_component("rotel-agent", "run `make emulators`")`` looks for a command of that name; for anything else
    pass what was *found* (None: look for the command). With CI=true a lacking component fails the test, unless
    ``tests/optional-components.txt`` lists its name with a cause.
    """

    def require(name: str, install_hint: str, *, found: str | Path | None = None) -> Path:
        component = found or find_command(name)
        if component:
            return Path(component)
        lacking = f"{name} is not installed: {install_hint}"
        optional = optional_components()
        if os.environ.get("CI") != "true":
            pytest.skip(lacking)
        if name in optional:
            pytest.skip(f"{lacking} (optional: {optional[name]})")
        return pytest.fail(f"{lacking} (with CI=true only what {OPTIONAL_COMPONENTS.name} lists may be lacking)", False)

    return require
