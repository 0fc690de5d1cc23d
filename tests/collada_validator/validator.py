"""The whole check of one document."""

from __future__ import annotations

from collada_validator.formulas import check_formulas
from collada_validator.identifiers import Index, check_identifiers
from collada_validator.markup import MarkupError, parse
from collada_validator.meshes import check_meshes
from collada_validator.problems import Kind, Problem
from collada_validator.references import check_references
from collada_validator.structure import check_structure


def validate(data: bytes) -> list[Problem]:
    """Return what is wrong with a document, by line; nothing for a document of COLLADA 1.5.0 as robots use it.

    References into other documents are not followed.
    """
    try:
        root = parse(data)
    except MarkupError as error:
        return [Problem(error.line, "", str(error), Kind.NOT_WELL_FORMED)]
    problems = list(check_structure(root))
    if root.type:
        index = Index(root)
        for check in (check_identifiers, check_references, check_meshes, check_formulas):
            problems.extend(check(index))
    return sorted(problems, key=lambda problem: problem.line)
