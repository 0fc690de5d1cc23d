"""Sweeps: many runs of one model with different parameters; fits of parameters to recordings."""

from ossature.sweeps.distributions import Distribution, LogNormal, LogUniform, Normal, Triangular, Uniform, Values
from ossature.sweeps.execution import Progress, SweepError, SweepResult, run_sweep, sweep
from ossature.sweeps.executors import Executor, ExecutorError, make_executor
from ossature.sweeps.fit_spec import Fit, FitParameter, MeasuredSeries
from ossature.sweeps.fitting import FitError, FitResult, fit
from ossature.sweeps.points import Point, Points
from ossature.sweeps.read_fit import read_fit
from ossature.sweeps.read_sweep import read_sweep
from ossature.sweeps.results import ResultFolder, ResultsError
from ossature.sweeps.sensitivity import MainEffect, Sensitivity, main_effects, sensitivities
from ossature.sweeps.sweep_spec import (
    Design,
    Formula,
    Method,
    Metric,
    Output,
    Parameter,
    Run,
    Statistic,
    StopCondition,
    Sweep,
    Variants,
)

__all__ = [
    "Design",
    "Distribution",
    "Executor",
    "ExecutorError",
    "Fit",
    "FitError",
    "FitParameter",
    "FitResult",
    "Formula",
    "LogNormal",
    "LogUniform",
    "MainEffect",
    "MeasuredSeries",
    "Method",
    "Metric",
    "Normal",
    "Output",
    "Parameter",
    "Point",
    "Points",
    "Progress",
    "ResultFolder",
    "ResultsError",
    "Run",
    "Sensitivity",
    "Statistic",
    "StopCondition",
    "Sweep",
    "SweepError",
    "SweepResult",
    "Triangular",
    "Uniform",
    "Values",
    "Variants",
    "fit",
    "main_effects",
    "make_executor",
    "read_fit",
    "read_sweep",
    "run_sweep",
    "sensitivities",
    "sweep",
]
