"""How the shapes and types of the library are checked while the tests run."""

from beartype import BeartypeConf, beartype

# An int is as good as a float, as everywhere in Python.
typechecked = beartype(conf=BeartypeConf(is_pep484_tower=True))
