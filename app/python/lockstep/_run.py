"""What can be asked of a run, and of two."""

import os
import tempfile

from . import _program
from ._table import Comparison, Table


class Run:
    """A folder of traces, or some files, that were recorded together."""

    def __init__(self, *paths):
        self.paths = [os.fspath(path) for path in paths]
        for path in self.paths:
            if not os.path.exists(path) and not _program.is_remote(path):
                raise _program.LockstepError(f"{path}: does not exist")

    def __repr__(self):
        return f"<lockstep.Run {' '.join(self.paths)}>"

    def info(self):
        """Ranks, devices, steps, environment and the doctor's findings, as a dictionary."""
        return _program.document(["info"], self.paths)

    def analyze(self, analysis, *, ranks=None, steps=None, filter=None, **params):
        """The table of an analysis; analyses() lists them with their parameters."""
        options = _program.options(ranks, steps, filter, params)
        return Table(_program.document(["analyze", analysis, *options], self.paths))

    def sql(self, query, *, ranks=None, steps=None, filter=None, timeout=None):
        """The answer to one SELECT (docs/sql.md). timeout: in seconds."""
        options = _program.options(ranks, steps, filter)
        if timeout is not None:
            options.append(f"--timeout={timeout}s")
        return Table(_program.document(["sql", *options], [*self.paths, query]))

    def events(self, *, ranks=None, steps=None, filter=None, limit=None):
        """The events that pass the filter, in order of time; limit: so many of them, from 0."""
        if limit is not None and int(limit) < 0:
            raise ValueError(f"limit: {limit} is less than 0")
        query = "select * from selection order by ts" + ("" if limit is None else f" limit {int(limit)}")
        return self.sql(query, ranks=ranks, steps=steps, filter=filter)

    def shot(self, *, panel=None, goto=None, size=(1280, 720), filter=None, candidate=None):
        """A picture of the window, which a notebook shows. candidate: a second run, or its path."""
        words = ["shot", *(f"--baseline={path}" for path in self.paths)]
        if candidate is not None:
            words += [f"--candidate={path}" for path in _paths_of(candidate)]
        for name, value in (("panel", panel), ("goto", goto), ("filter", filter)):
            if value is not None:
                words.append(f"--{name}={value}")
        words.append(f"--size={size[0]}x{size[1]}")
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "shot.png")
            _program.run([*words, f"--out={file}"])
            with _open_file(file, "rb") as picture:
                return Picture(picture.read())

    def diff(self, candidate, analysis="temporal-breakdown", **options):
        """This run as the baseline of diff()."""
        return diff(self, candidate, analysis, **options)


class Picture:
    """A PNG; a notebook shows it."""

    def __init__(self, png):
        self.png = png

    def _repr_png_(self):
        return self.png

    def save(self, path):
        with _open_file(path, "wb") as file:
            file.write(self.png)


_open_file = open


def open(*paths):  # the notebook's word for it
    """A run: a folder, or its files. The traces are read by the first question."""
    if not paths:
        raise TypeError("open() needs the path of a run")
    return Run(*paths)


def diff(baseline, candidate, analysis="temporal-breakdown", *, ranks=None, steps=None, filter=None, names=None,
         noise=None, tolerance=None, warmup=None, paired=False, **params):
    """A comparison of two runs; lists of runs are repetitions. analysis="waterfall" explains the change of the step.

    noise, tolerance: shares, such as 0.02. warmup: a number of steps, or "auto".
    """
    words = ["diff", *(f"--baseline={path}" for path in _paths_of(baseline)),
             *(f"--candidate={path}" for path in _paths_of(candidate))]
    words.append("--waterfall" if analysis == "waterfall" else f"--analysis={analysis}")
    for name, share in (("noise", noise), ("tolerance", tolerance)):
        if share is not None:
            words.append(f"--{name}={share * 100:.10g}%")
    for name, value in (("names", names), ("warmup", warmup)):
        if value is not None:
            words.append(f"--{name}={value}")
    if paired:
        words.append("--paired")
    return Comparison(_program.document([*words, *_program.options(ranks, steps, filter, params)]))


def analyses():
    """Every analysis: id, title, summary, definition, params and columns."""
    return _program.document(["analyses"])["analyses"]


def _paths_of(run):
    if isinstance(run, Run):
        return run.paths
    if isinstance(run, (list, tuple)):
        return [path for one in run for path in _paths_of(one)]
    return [os.fspath(run)]
