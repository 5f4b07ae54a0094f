"""``python -m jiyi``."""

from jiyi.cli import main

if __name__ == "__main__":
    main()
