"""``python -m ossature``."""

from ossature.cli import main

if __name__ == "__main__":
    main()
