"""Optimisation: the walk with less torque at its own speed, by CMA-ES over three of its numbers.

python examples/optimisation.py
"""

import footfall as ff
from footfall.study import Measuring, Objective, Range, Search, parse_bound, parse_term, save_search_picture

if __name__ == "__main__":
    measuring = Measuring(ff.Experiment("walk"), ("survival", "speed", "torque"))
    objective = Objective((parse_term("torque", 1.0),), (parse_bound("speed=1.0±0.1"),))
    ranges = (Range("kp", 150.0, 350.0), Range("kd", 15.0, 40.0), Range("swing_hip.c_v", 0.1, 0.4))
    found = Search(measuring, objective, ranges, population=8, generations=12, sigma=0.15).run()
    ff.save_controller(found.controller, "optimised-walk.toml")
    save_search_picture(found, "optimisation.png")
    print(f"mean squared torque {found.base['torque']:.0f} became {found.measures['torque']:.0f}; see optimisation.png")
