"""`python -m repcost_book COMMAND`: everything the Makefile does, for those without make."""

from repcost_book.commands.main import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
