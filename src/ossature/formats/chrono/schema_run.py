"""Schemas of Chrono's simulation and solver files.

Most keys are for Chrono only; they are declared so that misspelt keys are reported.
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
    """Simulation settings."""

    time_step: float | None = child(NUMBER, unit="s", source=NEWER, doc="Time step, in older files.")
    end_time: float | None = child(NUMBER, unit="s", source=NEWER, doc="Duration; negative for no end.")
    gravity: Vector | None = child(VECTOR3, unit="m/s²", source=NEWER, doc="Gravity; [0, 0, -9.8] by default.")
    enforce_realtime: bool = child(BOOLEAN, default=False, source=NEWER, doc="Whether Chrono runs in real time.")
    contact_method: str | None = child(word("SMC", "NSC"), source=NEWER, doc="Smooth or non-smooth contact, in older files.")

    ignored: ClassVar[Mapping[str, str]] = {
        "integrator": "deprecated location; Ossature selects the integrator for the model",
        "solver": "deprecated location; the engine has its own solver",
        "visualization": "deprecated location; ignored",
        "output": "deprecated location; ignored",
    }


class IntegratorElement(Element):
    """Chrono's integrator; only its time step is used."""

    type: str | None = child(word(*INTEGRATORS), source=NEWER, doc="Its type, for Chrono.")
    time_step: float = child(NUMBER, unit="s", default=1e-3, source=NEWER, doc="Time step.")
    rel_tolerance: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    abs_tolerance_states: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    abs_tolerance_multipliers: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    max_iterations: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    use_stepsize_control: bool | None = child(BOOLEAN, source=NEWER, doc="For Chrono.")
    use_modified_newton: bool | None = child(BOOLEAN, source=NEWER, doc="For Chrono.")


class SolverElement(Element):
    """Chrono's solver; the engine has its own."""

    type: str | None = child(word(*SOLVERS), source=NEWER, doc="Its type, for Chrono.")
    max_iterations: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    overrelaxation_factor: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    sharpness_factor: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    tolerance: float | None = child(NUMBER, source=NEWER, doc="For Chrono.")
    enable_diagonal_preconditioner: bool | None = child(BOOLEAN, source=NEWER, doc="For Chrono.")
    warm_start: bool | None = child(BOOLEAN, source=CHRONO, doc="For Chrono.")
    lock_sparsity_pattern: bool | None = child(BOOLEAN, source=NEWER, doc="For Chrono.")
    use_sparsity_pattern_learner: bool | None = child(BOOLEAN, source=NEWER, doc="For Chrono.")


class OutputElement(Element):
    """Output of Chrono; Ossature records with ``--record``."""

    type: str | None = child(STRING, source=NEWER, doc="For Chrono.")
    format: str | None = child(STRING, source=CHRONO, doc="For Chrono.")
    mode: str | None = child(STRING, source=NEWER, doc="For Chrono.")
    fps: float | None = child(NUMBER, unit="Hz", source=NEWER, doc="Samples per second.")
    output_directory: str | None = child(STRING, source=NEWER, doc="For Chrono.")


class CameraElement(Element):
    """Camera of Chrono's viewer."""

    vertical: str | None = child(word("Y", "Z"), source=NEWER, doc="Which axis points up.")
    position: Vector | None = child(VECTOR3, name="location", unit="m", source=NEWER, doc="Position of the camera.")
    target: Vector | None = child(VECTOR3, unit="m", source=NEWER, doc="Point that the camera looks at.")


class ImageOutputElement(Element):
    """Images that Chrono saves."""

    save_images: bool | None = child(BOOLEAN, source=CHRONO, doc="For Chrono.")
    image_type: str | None = child(STRING, source=CHRONO, doc="For Chrono.")
    output_directory: str | None = child(STRING, source=CHRONO, doc="For Chrono.")


class RunVisualizationElement(Element):
    """Visualization of a simulation in Chrono."""

    type: str | None = child(word("MODEL_FILE", "PRIMITIVES", "COLLISION", "NONE"), source=NEWER, doc="Displayed shapes.")
    render_fps: float | None = child(NUMBER, unit="Hz", source=NEWER, doc="For Chrono.")
    enable_shadows: bool | None = child(BOOLEAN, source=NEWER, doc="For Chrono.")
    camera: CameraElement | None = element(CameraElement, source=NEWER, doc="Camera.")
    output: ImageOutputElement | None = element(ImageOutputElement, source=CHRONO, doc="Images that Chrono saves.")


class SimulationFile(Element):
    """A simulation file: a model, a solver and simulation settings."""

    chrono_version: str | None = child(
        STRING, name="chrono-version", required=True, source=NEWER, doc="Version of Chrono, as 10.0 or 10.0.1."
    )
    type: str | None = child(word("MBS"), source=CHRONO, doc="MBS: a multibody system.")
    model: str | None = child(STRING, required=True, source=CHRONO, doc="The model file, relative to this one.")
    solver: str | None = child(STRING, source=CHRONO, doc="The solver file, relative to this one.")
    simulation: SimulationElement | None = element(SimulationElement, source=NEWER, doc="Simulation settings.")
    output: OutputElement | None = element(OutputElement, source=NEWER, doc="Output of Chrono.")
    visualization: RunVisualizationElement | None = element(
        RunVisualizationElement, source=NEWER, doc="Visualization in Chrono."
    )

    ignored: ClassVar[Mapping[str, str]] = {
        "precice_adapter_config": "the coupling of Chrono to other programs; nothing else uses it",
    }


class SolverFile(Element):
    """A solver file."""

    chrono_version: str | None = child(
        STRING, name="chrono-version", required=True, source=NEWER, doc="Version of Chrono, as 10.0 or 10.0.1."
    )
    contact_method: str | None = child(word("SMC", "NSC"), source=NEWER, doc="Smooth or non-smooth contact.")
    integrator: IntegratorElement | None = element(IntegratorElement, source=NEWER, doc="The integrator.")
    solver: SolverElement | None = element(SolverElement, source=NEWER, doc="The solver.")
