"""What a ReLU network pays to represent a function: costs, ranks and features, each with how sure
it is.

The public names and where they live are listed in `__init__.pyi`. A name is imported when it is
first used, so whoever asks for one cost loads no more than that takes.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
