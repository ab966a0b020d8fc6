"""Joint names as files give them: made unique, and kept to a length that a person can read."""

from collections.abc import Sequence

_LONGEST = 120


def tidy_names(names: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Names that differ from each other, of at most 120 characters, and a note for each that was changed."""
    taken: set[str] = set()
    result, notes = [], []
    for k, name in enumerate(names):
        short = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
        unique, count = short or f"joint{k}", 1
        while unique in taken:
            count += 1
            unique = f"{short}_{count}"
        if len(short) < len(name):
            notes.append(f"joint '{unique[:40]}…': its name of {len(name)} characters was shortened")
        elif unique != short and name:
            notes.append(f"joint '{unique}' was renamed: another bears its name")
        taken.add(unique)
        result.append(unique)
    return tuple(result), notes
