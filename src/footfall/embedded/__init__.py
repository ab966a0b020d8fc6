"""Controllers as C99, for robots and programs that have neither Python nor C++.

A law is written once, as Warp functions. Warp turns them into C++ for the CPU, and that text is what every native run
compiles. It is plain: functions of numbered variables, one operation a line, each assigned once but for loops. So C99
is not generated from the law a second time. The C++ is read (:mod:`~footfall.embedded.cpp`), simplified
(:mod:`~footfall.embedded.cpp`) and printed as C99 (:mod:`~footfall.embedded.c99`), operation by operation, in
the same order. What the translator does not know it refuses by name. The functions of the figure that a law needs, to
find the soles, come the same way. Hence the C computes what the native run computes, but for rounding.

:func:`footfall.embedded.program.c_program` makes the two files, :mod:`footfall.embedded.program` a script that walks a
figure's file in MuJoCo with them.
"""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
