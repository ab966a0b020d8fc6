"""The navigation below a page, as MyST writes it."""


def toctree(*entries: str) -> str:
    """A list of pages that Sphinx reads and readers do not see; an entry is a page's name, or ``Title <name>``."""
    return "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(entries) + "\n```\n"
