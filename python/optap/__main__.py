"""`python -m optap` is the command `optap`."""

import sys

from optap.cli import main

sys.exit(main())
