"""Which names of footfall are public, and where each is imported from."""

import ast
from pathlib import Path

import footfall
from footfall.lazy import stub_homes


def public_names() -> dict[str, dict[str, str]]:
    """Package or module -> its public names, each with the module that defines it.

    A package's names are those in its ``__init__.pyi``. A module that a stub names, such as ``footfall.control.parts``,
    is public too, with the names in its ``__all__``.
    """
    root = Path(footfall.__file__).parent
    public: dict[str, dict[str, str]] = {}
    for stub in sorted(root.rglob("__init__.pyi")):
        package = ".".join((root.name, *stub.parent.relative_to(root).parts))
        public[package] = stub_homes(stub)
        for name, home in public[package].items():
            module = stub.parent / f"{name}.py"
            if home == package and module.is_file():
                public[f"{package}.{name}"] = dict.fromkeys(_listed(module), f"{package}.{name}")
    return public


def _listed(module: Path) -> list[str]:
    """A module's ``__all__``."""
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []
