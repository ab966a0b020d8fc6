from footfall.study.adaptation.adapting import Adapted as Adapted
from footfall.study.adaptation.adapting import adapt as adapt
from footfall.study.adaptation.fitting import Fitted as Fitted
from footfall.study.adaptation.fitting import fit_controller as fit_controller
from footfall.study.adaptation.scaling import scaled_graph as scaled_graph
from footfall.study.search.free_numbers import Scales as Scales
