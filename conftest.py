"""Settings of all tests: the same examples on every run, two workers kept busy, and a list of compiled kernels.

Tests of one file share what takes long to make (kernels, a browser): each file goes to one worker, and files that take
long go first.
"""

import gc
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from footfall.kernels import building
from footfall.kernels.building import LOG, QUICK
from footfall.kernels.start import start_warp

settings.register_profile("footfall", deadline=None, derandomize=True)
settings.load_profile("footfall")

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads: more threads spend most of their time waiting

BYTECODE = Path(__file__).resolve().parent / "build" / "compiled-python"
"""Where compiled Python is kept if it may not be kept beside its sources: reading it takes a tenth of compiling it."""

LONG = (
    "tests/studio/browser/test_walker_in_browser.py",
    "tests/studio/browser/test_page_in_browser.py",
    "tests/cli/test_documentation.py",
    "tests/test_first_hour.py",
    "tests/live/test_agreement.py",
    "tests/live/test_page_in_a_browser.py",
)
"""Files that take longest, the longest first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take longest first; skip, loudly, what needs a package that is not installed."""
    for item in items:
        for needed in item.iter_markers("extra"):
            if find_spec(needed.args[0]) is None:
                item.add_marker(pytest.mark.skip(reason=f"NO {needed.args[0].upper()}: `make extras` installs it"))
    order = {name: k for k, name in enumerate(LONG)}
    items.sort(key=lambda item: order.get(item.nodeid.partition("::")[0], len(LONG)))


def pytest_collection_finish() -> None:
    """Have the garbage collector leave alone what stays until the end: modules and thousands of tests."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out whole files, in the order in which they were collected; all that open a browser to one worker."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return "a browser" if "browser" in file else file

    config.option.loadscopereorder = False
    return Scheduling(config, log)


@pytest.fixture(autouse=True, scope="session")
def _warp() -> None:
    """Tests that launch kernels of their own build them as footfall builds its own."""
    if "warp" in sys.modules:
        start_warp()


@contextmanager
def _optimising() -> Iterator[None]:
    if not os.environ.get(QUICK):  # within a file whose kernels are optimised
        yield
        return
    config = start_warp().config
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(QUICK)
        patch.setattr(config, "kernel_cache_dir", str(Path(config.kernel_cache_dir).parent))
        yield


@pytest.fixture
def optimised_kernels() -> Iterator[None]:
    """Kernels as users get them, for a test of their speed or of their last bits."""
    with _optimising():
        yield


@pytest.fixture(scope="module")
def optimised_module() -> Iterator[None]:
    """As optimised_kernels, for all tests of a file and what they share."""
    with _optimising():
        yield


@contextmanager
def _running_long() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if os.environ.get(QUICK):
            patch.setenv(QUICK, building.LONG)
        yield


@pytest.fixture
def long_kernels() -> Iterator[None]:
    """Kernels that are optimised a little, for a test that simulates figures in space for long."""
    with _running_long():
        yield


@pytest.fixture(scope="module")
def long_module() -> Iterator[None]:
    """As long_kernels, for all tests of a file and what they share."""
    with _running_long():
        yield


FAILURES = "footfall/failures"
"""Where the cache keeps why tests failed, until they are run again."""
BEFORE = pytest.StashKey[int]()
"""How long the log of kernels was before the tests."""


def pytest_configure(config: pytest.Config) -> None:
    """Have kernels compiled quickly and logged, compiled Python kept, and captured data found.

    All of it by this process and those that it starts.
    """
    os.environ[QUICK] = "yes"
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):  # kept apart then, and read by the next of many processes
        os.environ.setdefault("PYTHONPYCACHEPREFIX", str(BYTECODE))
        sys.pycache_prefix, sys.dont_write_bytecode = os.environ["PYTHONPYCACHEPREFIX"], False
    os.environ.setdefault("FOOTFALL_DATA", str(Path(__file__).resolve().parents[1] / "shared" / "data"))
    if not os.environ.get(LOG):
        handle, os.environ[LOG] = tempfile.mkstemp(prefix="footfall-kernels-", suffix=".jsonl")
        os.close(handle)
        config.add_cleanup(lambda: Path(os.environ.pop(LOG)).unlink(missing_ok=True))
    log = Path(os.environ[LOG])
    config.stash[BEFORE] = log.stat().st_size if log.exists() else 0


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """List the kernels that were compiled, the slowest first, with the test that asked for each; and flaky tests: those
    that failed beside others and pass alone, with what failed in them."""
    if config.pluginmanager.has_plugin("cacheprovider") and not config.getoption("lf"):
        failed = [*terminalreporter.stats.get("failed", ()), *terminalreporter.stats.get("error", ())]
        causes = {r.nodeid: str(getattr(getattr(r.longrepr, "reprcrash", None), "message", r.longrepr)) for r in failed}
        config.cache.set(FAILURES, causes)
    elif config.getoption("lf", False) and (flaky := terminalreporter.stats.get("passed")):
        causes = config.cache.get(FAILURES, {})
        terminalreporter.section(f"{len(flaky)} flaky tests: they failed beside others and pass alone", yellow=True)
        for report in flaky:
            terminalreporter.line(f"{report.nodeid}: {causes.get(report.nodeid, '').partition(chr(10))[0]}")
    log = Path(os.environ[LOG])
    lines = log.read_bytes()[config.stash[BEFORE] :].splitlines() if log.exists() else []
    kernels = [json.loads(line) for line in lines]
    if not kernels:
        return
    kernels.sort(key=lambda kernel: -kernel["cpu_seconds"])
    total = sum(kernel["cpu_seconds"] for kernel in kernels)
    terminalreporter.section(f"{len(kernels)} kernels compiled in {total:.0f} s of CPU time")
    for kernel in kernels if config.option.verbose > 0 else kernels[:10]:
        what = kernel["what"] or kernel["kernel"]
        terminalreporter.line(f"{kernel['cpu_seconds']:5.1f} s  {what}  {kernel['test'].partition(' ')[0]}")
