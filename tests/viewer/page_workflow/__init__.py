"""Every control of the page in Chromium, with one model of each format."""
