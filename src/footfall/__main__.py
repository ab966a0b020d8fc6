"""``python -m footfall``: the command ``footfall``."""

import sys

from footfall.cli.main import main

sys.exit(main())
