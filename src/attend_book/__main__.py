"""The book's commands: `python -m attend_book COMMAND …`; the Makefile calls them."""

import sys
from importlib import import_module

COMMANDS = {
    "site": ("attend_book.build", "main"),
    "pages": ("attend_book.pages", "pages"),
    "stills": ("attend_book.site.stills", "main"),
    "address": ("attend_book.site.address", "main"),
    "new": ("attend_book.new", "main"),
    "readme": ("attend_book.readme", "main"),
    "lock": ("attend_book.lock", "main"),
}


def main(arguments):
    """Run one command; returns its exit status."""
    if not arguments or arguments[0] not in COMMANDS:
        print(f"usage: python -m attend_book {{{','.join(COMMANDS)}}} …")
        return 2
    module, function = COMMANDS[arguments[0]]
    return getattr(import_module(module), function)(arguments[1:]) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
