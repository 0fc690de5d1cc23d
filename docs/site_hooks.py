"""Hooks of the site: pages of other folders, the Python reference, and no address of a network that a page would load."""

from __future__ import annotations

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [path for path in (str(DOCS),) if path not in sys.path]

from notebook_page import execute, notebooks  # noqa: E402
from reference_page import first_sentence, public_names  # noqa: E402

_ROOT_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Pages of the repository's root that the site contains."""
_ROLE = re.compile(r":(?:class|func|meth|attr|mod|data|exc|obj):`~?([^`]*)`")
_LOADED = re.compile(r"""<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=["']?((?:https?:)?//[^"'\s>]+)""")
"""An address that a browser loads with a page, unlike the target of a link in the text."""


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of the root, those of notebooks, and one page of reference for each package."""
    for name in _ROOT_PAGES:
        text = (DOCS.parent / name).read_text(encoding="utf-8")
        files.append(File.generated(config, name.lower(), content=_from_root(text)))
    for path in notebooks():
        text, images = execute(path)
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=text))
        for name, data in images.items():
            files.append(File.generated(config, f"notebooks/{name}", content=data))
    for package, names in public_names().items():
        files.append(File.generated(config, _api_file(package), content=_api_page(package, names)))
    return files


def on_config(config: Any) -> Any:
    """Add the pages of packages to the navigation."""
    reference = next(one["Reference"] for one in config["nav"] if "Reference" in one)
    python = next(one["Python"] for one in reference if "Python" in one)
    python += [{package: _api_file(package)} for package in public_names()]
    return config


def on_page_markdown(markdown: str, *, page: Page, config: Any, files: Files) -> str:
    """Lead links to pages of the root to those of the site."""
    for name in _ROOT_PAGES:
        markdown = markdown.replace(f"](../{name}", f"]({name.lower()}")
    return markdown


def on_page_content(html: str, *, page: Page, config: Any, files: Files) -> str:
    """Show references of docstrings as code."""
    return re.sub(r":(?:class|func|meth|attr|mod|data|exc|obj):<code>~?([^<]*)</code>", r"<code>\1</code>", html)


def on_post_build(config: Any) -> None:
    """Refuse a site that loads something from a network."""
    site = Path(config["site_dir"])
    loaded = {
        f"{path.relative_to(site)}: {address}"
        for path in site.rglob("*.html")
        for address in _LOADED.findall(path.read_text(encoding="utf-8"))
    }
    if loaded:
        raise PluginError("pages load from a network:\n" + "\n".join(sorted(loaded)))


def _from_root(text: str) -> str:
    """Return a page of the root with links as from ``docs``."""
    for name in _ROOT_PAGES:
        text = text.replace(f"]({name}", f"]({name.lower()}")
    return text.replace("](docs/", "](")


def _api_file(package: str) -> str:
    return f"api/{package}.md"


def _api_page(package: str, names: list[str]) -> str:
    """Return the page of a package: classes and functions where they are defined, and the other names as a list."""
    module = import_module(package)
    lines = [f"# `{package}`", "", inspect.getdoc(module) or "", ""]
    others = []
    for name in names:
        value = getattr(module, name)
        home = _home(value)
        if home is None:
            others.append(f"- `{name}`: {first_sentence(value)}" if callable(value) else f"- `{name}`")
            continue
        lines += [f"## `{name}` {{ #{package}.{name} }}", "", *_signature(name, value), f"::: {home}", ""]
    if others:
        lines += ["## Types and constants", "", *others, ""]
    return _ROLE.sub(r"`\1`", "\n".join(lines))


def _signature(name: str, value: object) -> list[str]:
    """Return the arguments of a function; those of a class are on its page as attributes."""
    if not inspect.isfunction(value):
        return []
    parameters = inspect.signature(value).parameters.values()
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    return ["```python", f"{name}{inspect.Signature(bare)}", "```", ""]


def _home(value: object) -> str | None:
    """Return the path at which a class or function is defined."""
    if not (inspect.isclass(value) or inspect.isfunction(value)) or not str(value.__module__).startswith("ossature"):
        return None
    return f"{value.__module__}.{value.__qualname__}"
