"""Hatchling's build hook: kernels that ``make wheel`` compiled go into the wheel, which is then one for a platform.

A wheel without them (``pip install .``) is for any platform; it compiles kernels on their first use. Hatchling calls
``KernelsHook.initialize`` before it builds.
"""

import os
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

KERNELS = "FOOTFALL_WHEEL_KERNELS"
"""Environment variable: the archive of compiled kernels to put into the wheel."""


class KernelsHook(BuildHookInterface[Any]):
    """Puts the archive into the wheel and gives the wheel the platforms of the Warp that compiled it."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the kernels to what is built, if ``make wheel`` made some."""
        archive = os.environ.get(KERNELS)
        if not archive or version == "editable":
            return
        build_data["force_include"][archive] = f"footfall/kernels/compiled/{Path(archive).name}"
        build_data["pure_python"] = False
        build_data["tag"] = _warp_tag()


def _warp_tag() -> str:
    """The tag of the installed Warp's wheel: footfall's kernels run where it does."""
    text = distribution("warp-lang").read_text("WHEEL") or ""
    tags = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("Tag:")]
    if len(tags) != 1 or not tags[0].startswith("py3-none-"):
        raise ValueError(f"warp-lang is installed from a wheel with the tags {tags}; one such as py3-none-… is needed")
    return tags[0]
