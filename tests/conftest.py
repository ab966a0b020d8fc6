"""Settings of all tests: the same examples on every run, and an order that keeps two workers busy.

Tests of one file mostly run the same kernels, and a kernel takes seconds to compile: each file goes to one worker
(``--dist loadgroup``), and files that take long go first.
"""

import pytest
from hypothesis import settings

settings.register_profile("footfall", deadline=None, derandomize=True)
settings.load_profile("footfall")

LONG = (
    "tests/studio/test_browser.py",
    "tests/studio/test_browser_page.py",
    "tests/studio/test_browser_drive.py",
    "tests/cli/test_documentation.py",
    "tests/test_first_hour.py",
    "tests/live/test_agreement.py",
    "tests/live/test_page_in_a_browser.py",
)
"""Files that take longest, the longest first."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group tests by file, unless they name a group of their own."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
    order = {name: k for k, name in enumerate(LONG)}
    items.sort(key=lambda item: order.get(item.nodeid.partition("::")[0], len(LONG)))
