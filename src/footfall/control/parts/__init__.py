"""The parts that laws are made of: small Warp functions, each tested by itself, each idea in a file of its own.

Functions of plain numbers take any scalar type and can be called from Python too. Functions that read a figure, a row
of parameters or a law's memory are made for them by a ``…_function`` of the same file.
"""
