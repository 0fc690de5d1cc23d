"""Chrono's simulation and solver files as data: how a model is to be run.

Most of it is for Chrono alone, and declared so that a slip in it is found.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ossature.formats.chrono.schema_model import CHRONO, NEWER, Vector
from ossature.syntax.schema import Element, child, element
from ossature.syntax.yaml_values import BOOLEAN, NUMBER, STRING, VECTOR3, word

INTEGRATORS = ("EULER_IMPLICIT_LINEARIZED", "EULER_IMPLICIT_PROJECTED", "EULER_IMPLICIT", "HHT")
SOLVERS = (
    "BARZILAI_BORWEIN",
    "PSOR",
    "APGD",
    "MINRES",
    "GMRES",
    "BICGSTAB",
    "PARDISO",
    "MUMPS",
    "SPARSE_LU",
    "SPARSE_QR",
)


class SimulationElement(Element):
    """How to simulate."""

    time_step: float | None = child(NUMBER, unit="s", source=NEWER, doc="Time step; stands in older files.")
    end_time: float | None = child(NUMBER, unit="s", source=NEWER, doc="How long; negative for ever.")
    gravity: Vector | None = child(VECTOR3, unit="m/s²", source=NEWER, doc="Gravity; [0, 0, -9.8] where absent.")
    enforce_realtime: bool = child(BOOLEAN, default=False, source=NEWER, doc="Whether Chrono waits for the clock.")
    contact_method: str | None = child(
        word("SMC", "NSC"), source=NEWER, doc="Smooth or non-smooth contact; stands in older files."
    )

    ignored: ClassVar[Mapping[str, str]] = {
        "integrator": "an older place of it; Ossature chooses the integrator by what the model needs",
        "solver": "an older place of it; the engine solves in its own way",
        "visualization": "an older place of it; not read",
        "output": "an older place of it; not read",
    }


class IntegratorElement(Element):
    """Chrono's integrator; of it the time step is taken."""

    type: str | None = child(word(*INTEGRATORS), source=NEWER, doc="Its kind, for Chrono.")
    time_step: float = child(NUMBER, unit="s", default=1e-3, source=NEWER, doc="Time step.")
    rel_tolerance: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    abs_tolerance_states: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    abs_tolerance_multipliers: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    max_iterations: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    use_stepsize_control: bool | None = child(BOOLEAN, source=NEWER, doc="For Chrono.")
    use_modified_newton: bool | None = child(BOOLEAN, source=NEWER, doc="For Chrono.")


class SolverElement(Element):
    """Chrono's solver; the engine has its own."""

    type: str | None = child(word(*SOLVERS), source=NEWER, doc="Its kind, for Chrono.")
    max_iterations: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    overrelaxation_factor: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    sharpness_factor: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    tolerance: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    enable_diagonal_preconditioner: bool | None = child(BOOLEAN, source=NEWER, doc="For Chrono.")
    warm_start: bool | None = child(BOOLEAN, source=CHRONO, doc="For Chrono.")
    lock_sparsity_pattern: bool | None = child(BOOLEAN, source=NEWER, doc="For Chrono.")
    use_sparsity_pattern_learner: bool | None = child(BOOLEAN, source=NEWER, doc="For Chrono.")


class OutputElement(Element):
    """What Chrono writes; Ossature records with ``--record``."""

    type: str | None = child(STRING, source=NEWER, doc="For Chrono.")
    format: str | None = child(STRING, source=CHRONO, doc="For Chrono.")
    mode: str | None = child(STRING, source=NEWER, doc="For Chrono.")
    fps: float | None = child(NUMBER, unit="Hz", source=NEWER, doc="Samples in a second.")
    output_directory: str | None = child(STRING, source=NEWER, doc="For Chrono.")


class CameraElement(Element):
    """Where Chrono looks from."""

    vertical: str | None = child(word("Y", "Z"), source=NEWER, doc="Which axis points up.")
    position: Vector | None = child(VECTOR3, name="location", unit="m", source=NEWER, doc="Where the camera is.")
    target: Vector | None = child(VECTOR3, unit="m", source=NEWER, doc="What it looks at.")


class ImageOutputElement(Element):
    """Pictures that Chrono saves."""

    save_images: bool | None = child(BOOLEAN, source=CHRONO, doc="For Chrono.")
    image_type: str | None = child(STRING, source=CHRONO, doc="For Chrono.")
    output_directory: str | None = child(STRING, source=CHRONO, doc="For Chrono.")


class RunVisualizationElement(Element):
    """How Chrono shows a run."""

    type: str | None = child(word("MODEL_FILE", "PRIMITIVES", "COLLISION", "NONE"), source=NEWER, doc="What Chrono shows.")
    render_fps: float | None = child(NUMBER, unit="Hz", source=NEWER, doc="For Chrono.")
    enable_shadows: bool | None = child(BOOLEAN, source=NEWER, doc="For Chrono.")
    camera: CameraElement | None = element(CameraElement, source=NEWER, doc="Where Chrono looks from.")
    output: ImageOutputElement | None = element(ImageOutputElement, source=CHRONO, doc="Pictures that Chrono saves.")


class SimulationFile(Element):
    """A simulation file: a model, a solver, and how to run them."""

    chrono_version: str | None = child(
        STRING, name="chrono-version", required=True, source=NEWER, doc="Version of Chrono, as 10.0 or 10.0.1."
    )
    type: str | None = child(word("MBS"), source=CHRONO, doc="MBS: a multibody system.")
    model: str | None = child(STRING, required=True, source=CHRONO, doc="The model file, relative to this one.")
    solver: str | None = child(STRING, source=CHRONO, doc="The solver file, relative to this one.")
    simulation: SimulationElement | None = element(SimulationElement, source=NEWER, doc="How to simulate.")
    output: OutputElement | None = element(OutputElement, source=NEWER, doc="What Chrono writes.")
    visualization: RunVisualizationElement | None = element(
        RunVisualizationElement, source=NEWER, doc="How Chrono shows a run."
    )


class SolverFile(Element):
    """A solver file."""

    chrono_version: str | None = child(
        STRING, name="chrono-version", required=True, source=NEWER, doc="Version of Chrono, as 10.0 or 10.0.1."
    )
    contact_method: str | None = child(word("SMC", "NSC"), source=NEWER, doc="Smooth or non-smooth contact.")
    integrator: IntegratorElement | None = element(IntegratorElement, source=NEWER, doc="The integrator.")
    solver: SolverElement | None = element(SolverElement, source=NEWER, doc="The solver.")
