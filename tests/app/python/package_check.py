"""The first tasks of a notebook, by the package alone: run by python_test.cpp with two sample runs and LOCKSTEP set."""

import os
import sys

import lockstep

before, after = sys.argv[1:3]

run = lockstep.open(before)
assert len(run.info()["ranks"]) == 2

kernels = run.analyze("kernels", ranks=[1])
assert set(kernels["rank"]) == {1}
assert kernels.units["total"] == "ns" and kernels.meanings["total"]
assert all(isinstance(ns, int) for ns in kernels["total"])
assert kernels.command.startswith("lockstep analyze kernels ")
assert next(iter(kernels))["kernel"] == kernels["kernel"][0]
assert "<table>" in kernels._repr_html_()
assert run.analyze("temporal-breakdown", window="steps").document["params"]["window"] == "steps"

path = run.analyze("critical-path")
assert path.tables, "the critical path has further tables"
assert len(path.table(path.tables[0])) > 0

events = run.events(filter="class:communication", limit=5)
assert len(events) == 5 and events["ts"] == sorted(events["ts"])
assert run.sql("select count(*) as n from kernels")["n"][0] > 100

assert run.sql("-- a comment\nselect 1 as one")["one"] == [1]
assert run.sql("--a comment\nselect 1 as one", ranks=[1])["one"] == [1]
os.chdir(os.path.dirname(before))
os.symlink(before, "-run")
dashed = lockstep.open("-run")
assert len(dashed.info()["ranks"]) == 2 and len(dashed.analyze("kernels")) == len(run.analyze("kernels"))
assert dashed.sql("select 1 as one")["one"] == [1]
assert len(run.events(limit=0)) == 0
try:
    run.events(limit=-1)
    raise SystemExit("no error")
except ValueError as error:
    assert "limit" in str(error)
os.environ["LOCKSTEP_SSH"] = "false"
try:
    lockstep.open("me@host:/data/run").info()
    raise SystemExit("no error")
except lockstep.LockstepError as error:
    assert "does not exist" not in str(error) and "host" in str(error), error

for call in (lambda: run.analyze("kernel"), lambda: run.sql("drop table events"), lambda: lockstep.open("/no/such")):
    try:
        call()
        raise SystemExit("no error")
    except lockstep.LockstepError as error:
        assert str(error), error
try:
    kernels["totel"]
    raise SystemExit("no error")
except KeyError as error:
    assert "total" in str(error)

change = run.diff(after, "kernels", noise=0.02)
assert change.verdict in ("regressed", "improved", "same", "undecided")
assert change.statistics["step"]["noise"] == 0.02 and "noise taken as" in change.sentence
assert "total.change" in change.columns
assert lockstep.diff([before, before], [after, after]).statistics["step"]["level"] == "runs"
assert any(analysis["id"] == "findings" for analysis in lockstep.analyses())

try:
    import pandas

    frame = kernels.to_pandas()
    assert str(frame["total"].dtype) == "Int64" and frame.attrs["units"]["total"] == "ns"
    assert frame["total"].sum() == sum(kernels["total"])
    assert len(change.to_pandas()) == len(change)
    print("pandas", pandas.__version__)
except ImportError:
    print("without pandas")
try:
    import pyarrow

    table = change.to_arrow()
    assert table.num_rows == len(change)
    assert kernels.to_arrow().schema.field("total").metadata[b"unit"] == b"ns"
    print("pyarrow", pyarrow.__version__)
except ImportError:
    print("without pyarrow")

if len(sys.argv) > 3:
    assert run.shot(panel="kernels", size=(640, 400)).png.startswith(b"\x89PNG")
print("done")
