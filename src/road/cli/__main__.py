"""``python -m road.cli`` is ``road``."""

import sys

from road.cli import main

sys.exit(main())
