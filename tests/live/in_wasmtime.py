"""Modules run in wasmtime, for tests."""

import ctypes
import json
from pathlib import Path
from typing import Any

import numpy as np


def last_qpos(request: dict[str, Any]) -> list[float]:
    """Where the last step of a request to ``run_module.mjs`` leads, of a walker on its first terrain."""
    from wasmtime import Config, Engine, Instance, Module, Store

    folder, name = Path(request["folder"]), request["name"]
    about = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    config = Config()
    config.cranelift_opt_level = "none"  # quicker to compile; what it computes is the same
    engine = Engine(config)
    store = Store(engine)
    exports: Any = Instance(store, Module.from_file(engine, str(folder / f"{name}.wasm")), []).exports(store)
    exports["start"](store)
    base = ctypes.addressof(exports["memory"].data_ptr(store).contents)
    table = {}
    for i, t in enumerate(about["tables"]):
        kind = ctypes.c_double if t["type"] == "f64" else ctypes.c_int32
        table[t["name"]] = (kind * int(np.prod(t["shape"]))).from_address(base + exports["table"](store, i))
    start = about["gaits"][0]["start"] | {key: about[key] for key in ("parameters", "body", "ground")}
    for key, values in (start | {"terrain": next(iter(about["terrains"].values()))}).items():
        table[key][: len(values)] = values
    dt = about["dt"]
    for i, push in enumerate(request["pushes"]):
        begins = push["start"]
        table["push_place"][i] = push["place"]
        table["push_window"][2 * i : 2 * i + 2] = [begins - 0.5 * dt, begins + push["seconds"] - 0.5 * dt]
        table["push_force"][3 * i : 3 * i + 3] = push["force"]
    table["options"][0:3] = [dt, request["every"], len(request["pushes"])]
    for _ in range(request["steps"] // 1000):
        exports["step"](store, 1000)
    return list(table["qpos"])
