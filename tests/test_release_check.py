"""The release check and the recipe for conda-forge cover all extras and requirements of pyproject.toml."""

from __future__ import annotations

import importlib.util
import re
import tomllib

from conftest import PROJECT

PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
METADATA = PYPROJECT["project"]


def test_each_extra_has_modules() -> None:
    specification = importlib.util.spec_from_file_location("release_check", PROJECT / "tools" / "release_check.py")
    assert specification is not None
    assert specification.loader is not None
    release_check = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(release_check)
    assert {*release_check.MODULES, "all"} == set(METADATA["optional-dependencies"])


def test_the_recipe_has_the_requirements_of_the_package() -> None:
    recipe = (PROJECT / "packaging" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    run = re.findall(r"    - (.+)", recipe.split("  run:\n")[1].split("\ntest:")[0])
    specified = {line.replace(" ", "") for line in run if not line.startswith("python")}
    assert specified == {one.replace(" ", "") for one in METADATA["dependencies"]}
    assert f"python {METADATA['requires-python']}" in run
    host = re.findall(r"    - (.+)", recipe.split("  host:\n")[1].split("  run:\n")[0])
    assert {line.replace(" ", "") for line in host} >= set(PYPROJECT["build-system"]["requires"])


def test_the_source_archive_has_all_that_users_and_tests_need() -> None:
    included = PYPROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {"CONTRIBUTING.md", "action.yml", "problem-matcher.json", ".pre-commit-hooks.yaml"} <= set(included)


def test_the_docker_image_copies_what_the_build_needs() -> None:
    dockerfile = (PROJECT / "Dockerfile").read_text(encoding="utf-8")
    assert "hatch_build.py" in dockerfile
    assert METADATA["readme"] in dockerfile
