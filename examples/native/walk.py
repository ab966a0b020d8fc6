"""A walker in Python, with the standard library alone.

footfall export walk --out walker.c --with-physics
cc -std=c99 -O2 -shared -fPIC walker.c -lm -o walker.so && python walk.py
"""

from ctypes import CDLL, POINTER, c_char_p, c_double, c_int, c_size_t, c_void_p, create_string_buffer
from pathlib import Path

library = CDLL(str(Path.cwd() / "walker.so"))
library.walker_size.restype = c_size_t
library.walker_start.argtypes = [c_void_p, c_char_p, c_double, c_double, c_double]
library.walker_step.argtypes = [c_void_p, c_int]
library.walker_push.argtypes = [c_void_p, c_int, POINTER(c_double), c_double]
library.walker_set.argtypes = [c_void_p, c_char_p, c_double]
library.walker_coordinates.argtypes = [c_void_p]
library.walker_coordinates.restype = POINTER(c_double)

walker = create_string_buffer(library.walker_size())  # filled with zeros

library.walker_start(walker, None, 0.0, 0.0, 0.0)
library.walker_set(walker, b"0.swing_hip.angle", 0.45)
library.walker_push(walker, -1, (c_double * 3)(100.0, 0.0, 0.0), 0.1)
status = library.walker_step(walker, 5000)
print(status, library.walker_coordinates(walker)[0])
