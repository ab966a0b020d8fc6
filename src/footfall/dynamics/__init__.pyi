from footfall.dynamics.compiler import CompiledFigure as CompiledFigure
from footfall.dynamics.contact import Ground as Ground
