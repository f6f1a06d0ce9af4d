"""GPU training traces of all ranks, from notebooks.

    import lockstep

    run = lockstep.open("traces/")
    run.analyze("kernels", ranks="0").to_pandas()
    run.events(filter="name:nccl dur:>1ms").to_pandas()
    lockstep.diff("before/", "after/").sentence
    run.shot(panel="findings")

Every call asks the program ``lockstep``, so numbers are those of the command line; its index files make calls after the
first one quick. Times are integer nanoseconds. What is not known is None, never 0.
"""

from ._program import LockstepError, program
from ._run import Picture, Run, analyses, diff, open
from ._table import Comparison, Table

__all__ = ["Comparison", "LockstepError", "Picture", "Run", "Table", "analyses", "diff", "open", "program"]
