"""Signatures in the API reference: numpy's types by the names that the code has for them."""

import re
from typing import Any

from numpy.typing import ArrayLike
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata, stringify_annotation

_ARRAY_LIKE = stringify_annotation(ArrayLike, "smart")
_ARRAY = re.compile(r"~?numpy\.ndarray\[tuple\[~?typing\.Any, \.\.\.\], ~?numpy\.dtype\[~?([\w.]+)\]\]")


def shortened(text: str | None) -> str | None:
    """A signature with ``ArrayLike`` and ``NDArray[…]`` in place of what they stand for."""
    if text is None:
        return None
    return _ARRAY.sub(lambda match: f"NDArray[{match.group(1)}]", text.replace(_ARRAY_LIKE, "ArrayLike"))


def _process(
    app: Sphinx, what: str, name: str, value: Any, options: Any, signature: str | None, result: str | None
) -> tuple[str | None, str | None]:
    return shortened(signature), shortened(result)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect to autodoc."""
    app.connect("autodoc-process-signature", _process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
