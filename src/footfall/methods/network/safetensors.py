"""The safetensors format: eight bytes with the length of a header, the header as JSON, then raw numbers.

https://huggingface.co/docs/safetensors is its specification. Little-endian floats of 16, 32 and 64 bits are read,
32 bits are written.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError

TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8"}
LONGEST_HEADER = 100_000_000
"""Bytes, as the specification has it."""
METADATA = "__metadata__"

Tensors = dict[str, NDArray[np.float32]]


def write_tensors(tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str] | None = None) -> bytes:
    """The bytes of a file with tensors by name, and texts by name."""
    header: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    parts, at = [], 0
    for name, tensor in tensors.items():
        part = np.ascontiguousarray(tensor, dtype="<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [at, at + len(part)]}
        parts.append(part)
        at += len(part)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(parts)


def read_tensors(data: bytes, where: str) -> tuple[Tensors, dict[str, str]]:
    """Tensors and texts by name from the bytes of a file; errors begin with ``where``."""
    size = int.from_bytes(data[:8], "little") if len(data) >= 8 else -1
    if not 2 <= size <= min(LONGEST_HEADER, len(data) - 8):
        raise FootfallError(f"{where}: not a safetensors file: its header does not fit its {len(data)} bytes")
    try:
        header = json.loads(data[8 : 8 + size])
        if not isinstance(header, dict):
            raise ValueError
    except ValueError:
        raise FootfallError(f"{where}: not a safetensors file: its header is not a JSON object") from None
    metadata = header.pop(METADATA, {})
    body = data[8 + size :]
    return {name: _tensor(name, entry, body, where) for name, entry in header.items()}, {
        str(name): str(text) for name, text in (metadata.items() if isinstance(metadata, dict) else ())
    }


def _tensor(name: str, entry: Any, body: bytes, where: str) -> NDArray[np.float32]:
    place = f"{where}: tensor '{name}'"
    try:
        kind, shape, (begin, end) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
        whole = all(isinstance(n, int) and n >= 0 for n in (*shape, begin, end))
    except (KeyError, TypeError, ValueError):
        raise FootfallError(f"{place} needs dtype, shape and data_offsets") from None
    if kind not in TYPES:
        raise FootfallError(f"{place} is of type {kind!r:.20}; read are: {', '.join(TYPES)}")
    if not whole or end > len(body) or end - begin != math.prod(shape) * np.dtype(TYPES[kind]).itemsize:
        raise FootfallError(f"{place} of shape {list(shape)} does not fit its bytes {begin} to {end} of {len(body)}")
    return np.frombuffer(body[begin:end], dtype=TYPES[kind]).reshape(shape).astype(np.float32)
