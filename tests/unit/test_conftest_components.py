"""A test whose real counterpart is lacking never passes silently in CI."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CONFTEST = Path(__file__).resolve().parents[1] / "conftest.py"
LACKING = "no-such-server"
MESSAGE = f"*{LACKING} is not installed: run `make emulators`*"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with our conftest.py and one test that needs a server which is not there; CI is unset."""
    monkeypatch.delenv("CI", raising=False)
    shutil.copy(CONFTEST, pytester.mkdir("tests"))
    Path("tests/optional-components.txt").write_text("# nothing is optional\n")
    pytester.makeini("[pytest]\naddopts = -p no:asyncio -p no:hypothesispytest\n")
    Path("tests/test_server.py").write_text(
        f"def test_it(require_component):\n    require_component({LACKING!r}, 'run `make emulators`')\n"
    )
    return pytester


def test_lacking_component_skips_with_what_to_install(project: pytest.Pytester) -> None:
    """On a contributor's machine the test is skipped and says what to install."""
    result = project.runpytest("-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines([MESSAGE])


def test_lacking_component_fails_in_ci(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """With CI=true the same test fails and says what to install."""
    monkeypatch.setenv("CI", "true")
    result = project.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([MESSAGE])


def test_listed_component_may_be_lacking_in_ci(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """With CI=true a component listed with a cause is skipped, and the cause is shown."""
    monkeypatch.setenv("CI", "true")
    Path("tests/optional-components.txt").write_text(f"{LACKING}: it is sold on tape only\n")
    result = project.runpytest("-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*optional: it is sold on tape only*"])


@pytest.mark.parametrize("line", [LACKING, f"{LACKING}:", ": a cause without a name"])
def test_line_without_name_and_cause_is_refused(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """Nothing becomes optional without a cause: such a line fails the test and is pointed at."""
    monkeypatch.setenv("CI", "true")
    Path("tests/optional-components.txt").write_text(f"# heading\n{line}\n")
    result = project.runpytest()
    assert 0 == result.parseoutcomes().get("skipped", 0)
    assert 0 != result.ret
    result.stdout.fnmatch_lines(["*optional-components.txt, line 2: write `name: cause`*"])


def test_emulator_is_found_before_path(project: pytest.Pytester) -> None:
    """A command made by `make emulators` is given, as a path that can be started."""
    command = project.mkdir(".emulators") / "server" / "bin" / LACKING
    command.parent.mkdir(parents=True)
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    Path("tests/test_server.py").write_text(
        f"def test_it(require_component):\n    assert {str(command)!r} == str(require_component({LACKING!r}, ''))\n"
    )
    project.runpytest().assert_outcomes(passed=1)


def test_component_found_by_the_test_is_given_back(project: pytest.Pytester) -> None:
    """A test that looked by itself passes what it found."""
    Path("tests/test_server.py").write_text(
        "from pathlib import Path\n\n"
        "def test_it(require_component):\n"
        f"    assert Path('/opt/x') == require_component({LACKING!r}, '', found='/opt/x')\n"
    )
    project.runpytest().assert_outcomes(passed=1)
