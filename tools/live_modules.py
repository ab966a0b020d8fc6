"""The modules that come with footfall's live pages, compiled again where their source changed:
``python -m tools.live_modules [FOLDER]``.
"""

import gzip
import hashlib
import json
import platform
import re
import sys
from pathlib import Path
from typing import Any

import footfall
from footfall.control.registry import controller_names, load_controller
from footfall.live.character import Character, characters_of
from footfall.live.crowd import CROWD, crowd_source
from footfall.live.modules import compile_module, key_of, shipped_index
from footfall.text_files import write_whole


def processor() -> str:
    """This machine's kind of processor."""
    name = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)


def digest_of(text: str) -> str:
    """SHA-256 of a module's text without comments, without the digests in Warp's names, and with Warp's running numbers
    counted from the start: they depend on what else was built before. It stays what it is while the text means the
    same."""
    plain = re.sub(r"//[^\n]*", "", text)
    plain = re.sub(r"_[0-9a-f]{8}(?![0-9a-zA-Z])", "", plain)
    seen: dict[str, str] = {}

    def counted(found: re.Match[str]) -> str:
        return seen.setdefault(found[0], f"{found[1]}_n{len(seen)}")

    plain = re.sub(r"\b(\w*__locals__\w*?|\w+_[0-9a-f]{12})_\d+\b", counted, plain)
    return hashlib.sha256(re.sub(r"\s+", " ", plain).encode()).hexdigest()


def shipped_characters() -> dict[str, Character]:
    """One character for each module that the built-in controllers need, by key."""
    characters: dict[str, Character] = {}
    for name in controller_names("live", guests=False):
        (character,) = characters_of([load_controller(name)])
        characters.setdefault(key_of(character), character)
    return characters


def ship(folder: Path) -> None:
    """Compile the modules of all built-in controllers into a folder. A module whose source is what it was stays."""
    folder.mkdir(parents=True, exist_ok=True)
    old = {entry["digest"].get(processor()): entry for entry in shipped_index().values()}
    index: dict[str, Any] = {}
    for key, character in shipped_characters().items():
        plain = f"{character.figure.name}-{character.controllers[0].law}"
        taken = sum(entry["name"].startswith(plain) for entry in index.values())
        name = f"{plain}-{taken + 1}" if taken else plain
        source = character.source()
        before = old.get(digest_of(source.text))
        path = folder / f"{name}.wasm.gz"
        if before is not None and before["name"] == name and path.is_file():
            index[key] = before
            continue
        print(f"compiling {name} …", flush=True)
        wasm = compile_module(source.text, name)
        digests = _digests(path, wasm, shipped_index().get(key), digest_of(source.text))
        write_whole(path, gzip.compress(wasm, mtime=0))
        rows = [[t.name, t.type, list(t.shape)] for t in source.tables]
        index[key] = {"name": name, "digest": digests, "bytes": len(wasm), "tables": rows}
    index |= _ship_crowd(folder, old)
    kept = {f"{entry['name']}.wasm.gz" for entry in index.values()}
    for path in folder.glob("*.wasm.gz"):
        if path.name not in kept:
            path.unlink()
    write_whole(folder / "index.json", (json.dumps(index, indent=1) + "\n").encode())


def _ship_crowd(folder: Path, old: dict[str, Any]) -> dict[str, Any]:
    """The crowd's module, compiled again where its source changed; its entry in the index."""
    source, path = crowd_source(), folder / f"{CROWD}.wasm.gz"
    before = old.get(digest_of(source.text))
    if before is not None and path.is_file():
        return {CROWD: before}
    print(f"compiling {CROWD} …", flush=True)
    wasm = compile_module(source.text, CROWD)
    digests = _digests(path, wasm, shipped_index().get(CROWD), digest_of(source.text))
    write_whole(path, gzip.compress(wasm, mtime=0))
    rows = [[t.name, t.type, list(t.shape)] for t in source.tables]
    return {CROWD: {"name": CROWD, "digest": digests, "bytes": len(wasm), "tables": rows}}


def _digests(path: Path, wasm: bytes, entry: dict[str, Any] | None, digest: str) -> dict[str, str]:
    """The source's digests by processor: those of others stay while the module is the same."""
    same = entry is not None and path.is_file() and gzip.decompress(path.read_bytes()) == wasm
    return (dict(entry["digest"]) if entry is not None and same else {}) | {processor(): digest}


if __name__ == "__main__":
    ship(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(footfall.__file__).parent / "live" / "modules")
