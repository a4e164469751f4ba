"""The program `python host.py KIND`: a vendor's memory that speaks `foldproof-memory/1`.

Its folder is taken off the import path, where its modules would hide the vendors' packages of the same name, and is
loaded as a package of its own.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

PACKAGE = "foldproof_vendors"


def main() -> int:
    """Serve until the input ends."""
    here = Path(__file__).resolve().parent
    sys.path[:] = [place for place in sys.path if Path(place or ".").resolve() != here]
    sys.dont_write_bytecode = True  # the folder belongs to another interpreter
    spec = spec_from_file_location(PACKAGE, here / "__init__.py", submodule_search_locations=[str(here)])
    if spec is None or spec.loader is None:
        return 3
    package = module_from_spec(spec)
    sys.modules[PACKAGE] = package
    spec.loader.exec_module(package)
    return int(import_module(f"{PACKAGE}.serving").serve(sys.argv[1]))


if __name__ == "__main__":
    sys.exit(main())
