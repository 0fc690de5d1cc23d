"""Schemas of Chrono's simulation and solver files.

Most keys are for Chrono only; they are declared so that misspelt keys are reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ossature.formats.chrono.schema_model import CHRONO, NEWER
from ossature.spatial import Vector3
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


class SimulationElement(Element, source=NEWER):
    """Simulation settings."""

    time_step: float | None = child(NUMBER, unit="s", doc="Time step, in older files.")
    end_time: float | None = child(NUMBER, unit="s", doc="Duration; negative for no end.")
    gravity: Vector3 | None = child(VECTOR3, unit="m/s²", doc="Gravity; [0, 0, -9.8] by default.")
    enforce_realtime: bool = child(BOOLEAN, default=False, doc="Whether Chrono runs in real time.")
    contact_method: str | None = child(word("SMC", "NSC"), doc="Smooth or non-smooth contact, in older files.")

    ignored: ClassVar[Mapping[str, str]] = {
        "integrator": "deprecated location; Ossature selects the integrator for the model",
        "solver": "deprecated location; the engine has its own solver",
        "visualization": "deprecated location; ignored",
        "output": "deprecated location; ignored",
    }


class IntegratorElement(Element, source=NEWER):
    """Chrono's integrator; only its time step is used."""

    type: str | None = child(word(*INTEGRATORS), doc="Its type, for Chrono.")
    time_step: float = child(NUMBER, unit="s", default=1e-3, doc="Time step.")
    rel_tolerance: float | None = child(NUMBER, doc="For Chrono.")
    abs_tolerance_states: float | None = child(NUMBER, doc="For Chrono.")
    abs_tolerance_multipliers: float | None = child(NUMBER, doc="For Chrono.")
    max_iterations: float | None = child(NUMBER, doc="For Chrono.")
    use_stepsize_control: bool | None = child(BOOLEAN, doc="For Chrono.")
    use_modified_newton: bool | None = child(BOOLEAN, doc="For Chrono.")


class SolverElement(Element, source=NEWER):
    """Chrono's solver; the engine has its own."""

    type: str | None = child(word(*SOLVERS), doc="Its type, for Chrono.")
    max_iterations: float | None = child(NUMBER, doc="For Chrono.")
    overrelaxation_factor: float | None = child(NUMBER, doc="For Chrono.")
    sharpness_factor: float | None = child(NUMBER, doc="For Chrono.")
    tolerance: float | None = child(NUMBER, doc="For Chrono.")
    enable_diagonal_preconditioner: bool | None = child(BOOLEAN, doc="For Chrono.")
    warm_start: bool | None = child(BOOLEAN, source=CHRONO, doc="For Chrono.")
    lock_sparsity_pattern: bool | None = child(BOOLEAN, doc="For Chrono.")
    use_sparsity_pattern_learner: bool | None = child(BOOLEAN, doc="For Chrono.")


class OutputElement(Element, source=NEWER):
    """Output of Chrono; Ossature records with ``--record``."""

    type: str | None = child(STRING, doc="For Chrono.")
    format: str | None = child(STRING, source=CHRONO, doc="For Chrono.")
    mode: str | None = child(STRING, doc="For Chrono.")
    fps: float | None = child(NUMBER, unit="Hz", doc="Samples per second.")
    output_directory: str | None = child(STRING, doc="For Chrono.")


class CameraElement(Element, source=NEWER):
    """Camera of Chrono's viewer."""

    vertical: str | None = child(word("Y", "Z"), doc="Which axis points up.")
    position: Vector3 | None = child(VECTOR3, name="location", unit="m", doc="Position of the camera.")
    target: Vector3 | None = child(VECTOR3, unit="m", doc="Point that the camera looks at.")


class ImageOutputElement(Element, source=CHRONO):
    """Images that Chrono saves."""

    save_images: bool | None = child(BOOLEAN, doc="For Chrono.")
    image_type: str | None = child(STRING, doc="For Chrono.")
    output_directory: str | None = child(STRING, doc="For Chrono.")


class RunVisualizationElement(Element, source=NEWER):
    """Visualization of a simulation in Chrono."""

    type: str | None = child(word("MODEL_FILE", "PRIMITIVES", "COLLISION", "NONE"), doc="Displayed shapes.")
    render_fps: float | None = child(NUMBER, unit="Hz", doc="For Chrono.")
    enable_shadows: bool | None = child(BOOLEAN, doc="For Chrono.")
    camera: CameraElement | None = element(CameraElement, doc="Camera.")
    output: ImageOutputElement | None = element(ImageOutputElement, source=CHRONO, doc="Images that Chrono saves.")


class SimulationFile(Element, source=NEWER):
    """A simulation file: a model, a solver and simulation settings."""

    chrono_version: str | None = child(
        STRING, name="chrono-version", required=True, doc="Version of Chrono, as 10.0 or 10.0.1."
    )
    type: str | None = child(word("MBS"), source=CHRONO, doc="MBS: a multibody system.")
    model: str | None = child(STRING, required=True, source=CHRONO, doc="The model file, relative to this one.")
    solver: str | None = child(STRING, source=CHRONO, doc="The solver file, relative to this one.")
    simulation: SimulationElement | None = element(SimulationElement, doc="Simulation settings.")
    output: OutputElement | None = element(OutputElement, doc="Output of Chrono.")
    visualization: RunVisualizationElement | None = element(RunVisualizationElement, doc="Visualization in Chrono.")

    ignored: ClassVar[Mapping[str, str]] = {
        "precice_adapter_config": "the coupling of Chrono to other programs; nothing else uses it",
    }


class SolverFile(Element, source=NEWER):
    """A solver file."""

    chrono_version: str | None = child(
        STRING, name="chrono-version", required=True, doc="Version of Chrono, as 10.0 or 10.0.1."
    )
    contact_method: str | None = child(word("SMC", "NSC"), doc="Smooth or non-smooth contact.")
    integrator: IntegratorElement | None = element(IntegratorElement, doc="The integrator.")
    solver: SolverElement | None = element(SolverElement, doc="The solver.")
