"""The container of glTF 2.0: .glb and .gltf files, their buffers and accessors."""

import base64
import binascii
import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.quaternion import Array

_DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_MOST_NUMBERS = 1 << 27


@dataclass(frozen=True, eq=False)
class GltfDocument:
    """A glTF file in memory.

    Attributes:
        content: its JSON.
        buffers: the bytes of each buffer.
    """

    content: dict[str, Any]
    buffers: list[bytes]

    def view(self, index: int) -> bytes:
        """The bytes of a buffer view."""
        view = self.content["bufferViews"][index]
        start, size = int(view.get("byteOffset", 0)), int(view["byteLength"])
        data = self.buffers[int(view["buffer"])]
        if index < 0 or start < 0 or size < 0 or start + size > len(data):
            raise ValueError("a buffer view reaches beyond the buffer")
        return data[start : start + size]

    def accessor(self, index: int) -> Array:
        """[count, width] the numbers of an accessor: interleaved, sparse or normalised as it may be."""
        row = self.content["accessors"][index]
        dtype, width, count = np.dtype(_DTYPES[row["componentType"]]), _WIDTHS[row["type"]], int(row["count"])
        if not 0 <= count * width <= _MOST_NUMBERS:
            raise ValueError(f"an accessor of {count} elements")
        if "bufferView" in row:
            values = self._elements(row["bufferView"], int(row.get("byteOffset", 0)), dtype, width, count)
        else:
            values = np.zeros((count, width), dtype)
        if sparse := row.get("sparse"):
            at, new, some = sparse["indices"], sparse["values"], int(sparse["count"])
            kind = np.dtype(_DTYPES[at["componentType"]])
            places = self._elements(at["bufferView"], int(at.get("byteOffset", 0)), kind, 1, some)[:, 0].astype(int)
            values[places] = self._elements(new["bufferView"], int(new.get("byteOffset", 0)), dtype, width, some)
        numbers = values.astype(float)
        return np.maximum(numbers / np.iinfo(dtype).max, -1.0) if row.get("normalized") else numbers

    def _elements(self, view: int, start: int, dtype: np.dtype, width: int, count: int) -> np.ndarray:
        data = self.view(view)
        size = dtype.itemsize * width
        stride = int(self.content["bufferViews"][view].get("byteStride", size))
        if start < 0 or stride < size or count < 0 or (count and start + (count - 1) * stride + size > len(data)):
            raise ValueError("an accessor reaches beyond its view")
        rows = [np.frombuffer(data, dtype, width, start + k * stride) for k in range(count)] if stride != size else []
        if stride == size:
            return np.frombuffer(data, dtype, count * width, start).reshape(count, width).copy()
        return np.array(rows, dtype).reshape(count, width)


def read_gltf_document(path: Path) -> GltfDocument:
    """The document of a .glb file, or of a .gltf file with its buffers inside it or in files beside it."""
    content = _bytes(path)
    if path.suffix.lower() == ".gltf":
        document, blob = _json(content, path), b""
    else:
        document, blob = _chunks(content, path)
    rows = document.get("buffers") or []
    if not isinstance(rows, list) or len(rows) > 1000:
        raise FootfallError(f"{path}: its list of buffers is damaged")
    return GltfDocument(document, [_buffer(row, blob if k == 0 else b"", path) for k, row in enumerate(rows)])


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FootfallError(f"{path}: cannot be read ({error.strerror})") from error


def _json(text: bytes, path: Path) -> dict[str, Any]:
    try:
        document = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise FootfallError(f"{path}: its JSON is damaged") from error
    if not isinstance(document, dict):
        raise FootfallError(f"{path}: its JSON is damaged")
    return document


def _chunks(content: bytes, path: Path) -> tuple[dict[str, Any], bytes]:
    if len(content) < 20 or content[:4] != b"glTF":
        raise FootfallError(f"{path}: not a binary glTF file (it must begin with 'glTF')")
    version, length = struct.unpack_from("<II", content, 4)
    if version != 2 or length != len(content):
        raise FootfallError(
            f"{path}: glTF version {version} of {length} bytes, but the file has {len(content)}; cut off?"
        )
    parts: list[tuple[int, bytes]] = []
    at = 12
    while at + 8 <= len(content):
        size, kind = struct.unpack_from("<II", content, at)
        if at + 8 + size > len(content):
            raise FootfallError(f"{path}: a chunk reaches beyond the end of the file")
        parts.append((kind, content[at + 8 : at + 8 + size]))
        at += 8 + size
    if not parts or parts[0][0] != 0x4E4F534A:
        raise FootfallError(f"{path}: its first chunk is not JSON")
    return _json(parts[0][1], path), next((data for kind, data in parts if kind == 0x004E4942), b"")


def _buffer(row: Any, blob: bytes, path: Path) -> bytes:
    """A buffer's bytes: the binary chunk, a data URI, or a file in the same folder or below it."""
    uri = row.get("uri") if isinstance(row, dict) else None
    if not isinstance(uri, str):
        return blob
    if uri.startswith("data:"):
        try:
            return base64.b64decode(uri.partition(",")[2], validate=True)
        except (binascii.Error, ValueError) as error:
            raise FootfallError(f"{path}: a buffer inside it is not base64") from error
    file = (path.parent / unquote(uri)).resolve()
    if path.parent.resolve() not in file.parents:
        raise FootfallError(f"{path}: its buffer '{uri[:60]}' does not lie beside it")
    if not file.is_file():
        raise FootfallError(f"{path}: its buffer '{uri[:60]}' is missing; keep both files in one folder")
    return _bytes(file)
