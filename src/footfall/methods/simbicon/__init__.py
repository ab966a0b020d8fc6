"""SIMBICON (Yin, Loken, van de Panne 2007; Zhang's improvements): pose control graphs, the law that balances them, its
learning, its sight of the ground, and walks from captured motion.
"""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
