"""`python -m indirectml` is the `indirectml` command."""

import sys

from indirectml.cli import main

sys.exit(main())
