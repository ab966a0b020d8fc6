from footfall.study.gait_lab.ground_forces import Closure as Closure
from footfall.study.gait_lab.page import plot_analyses as plot_analyses
from footfall.study.gait_lab.tables import save_analyses as save_analyses
