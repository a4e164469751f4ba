"""The programs that hold a vendor's memory, each run by an interpreter that has the vendor's package.

That interpreter need not have foldproof: nothing here imports it, and nothing but the standard library and the
vendor's own package is used. `host.py` is what is run.
"""
