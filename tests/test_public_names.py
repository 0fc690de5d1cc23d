"""The public names: each has one path, a docstring, and a line on the page of reference."""

from __future__ import annotations

import inspect
import re
from importlib import import_module

from reference_page import PACKAGES, public_names

import ossature
from conftest import PROJECT
from generated_pages import generate  # noqa: F401  # its folder has the page's module


def test_the_page_of_reference_has_all_public_names() -> None:
    page = (PROJECT / "docs" / "python_reference.md").read_text(encoding="utf-8")
    for section in page.split("\n## ")[1:]:
        package = section.split("`")[1]
        names = [name for name in re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE) if "." not in name]
        assert names == public_names()[package]
    assert page.count("\n## ") == len(PACKAGES)


def test_names_exist_and_are_sorted_into_one_home() -> None:
    assert set(ossature.__all__) == set(ossature._HOMES)
    for package in PACKAGES:
        module = import_module(package)
        assert len(set(module.__all__)) == len(module.__all__)
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value) or inspect.isroutine(value):
                assert inspect.getdoc(value), f"{package}.{name} has no docstring"
