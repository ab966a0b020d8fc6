from footfall.embedded.program import CProgram as CProgram
from footfall.embedded.program import c_program as c_program
from footfall.embedded.program import runner_script as runner_script
