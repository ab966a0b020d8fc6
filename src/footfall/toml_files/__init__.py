"""TOML files as dataclasses: a dataclass is the schema of a file, its fields are the keys, their types the rules.

:func:`read_table` turns the tables of a file into the value that they describe, or refuses them in one line that names
the file, the place and the valid choices. :func:`print_table` writes a value in one canonical form, which reads back
equal. What a number may be is the dataclass's own business (``__post_init__``), so that values made in Python are held
to the same rules; what fields cannot say (the order of keys, a bare number for a whole table) says a :class:`Schema`.

Why not a library: msgspec and cattrs say at which path a type is wrong, but neither the value nor the choices, and know
no keys that are names of joints; tomlkit keeps the layout of a text, which files that were not changed keep anyway
(:func:`keep_text`), and knows no types.
"""

from footfall.toml_files.printing import keep_text, kept_text, key_text, print_table, value_text
from footfall.toml_files.reading import read_table
from footfall.toml_files.schema import Form, Schema

__all__ = ["Form", "Schema", "keep_text", "kept_text", "key_text", "print_table", "read_table", "value_text"]
