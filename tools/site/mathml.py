"""Equations as MathML, which browsers draw by themselves: no script, no font, no network.

docutils has the converter from LaTeX; Sphinx has no renderer that uses it.
"""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

_LOGGER = logging.getLogger(__name__)
_PART = r"(<m[in]>[^<]*</m[in]>)"
_ACCENT = re.compile(rf'<munderover>\s*{_PART}\s*{_PART}\s*(<mo stretchy="false">[˙¨ˆ~¯→]</mo>)\s*</munderover>')
"""A letter with a subscript and an accent, which docutils writes one below the other."""


def _inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def _block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="equation">{_mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def _mathml(node: nodes.Element, *, as_block: bool) -> str:
    try:
        made = str(tex2mathml(node.astext(), as_block=as_block))
    except MathError as error:
        _LOGGER.warning("equation %r: %s", node.astext(), error, location=node)
        return ""
    return _ACCENT.sub(r'<msub><mover accent="true">\1\3</mover>\2</msub>', made)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the renderer; ``html_math_renderer = "mathml"`` chooses it."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
