"""Runs the program: arguments in, one JSON document or a file out."""

import json
import os
import re
import shutil
import subprocess


class LockstepError(Exception):
    """What the program says on failure; `status` is its exit status (1: failed, 2: usage error)."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status


def program():
    """Path of the program: the environment variable LOCKSTEP, else the one in PATH."""
    found = os.environ.get("LOCKSTEP") or shutil.which("lockstep")
    if not found:
        raise LockstepError("the program lockstep is not in PATH; set the environment variable LOCKSTEP to its path")
    return found


# Status 5: done, but part of a run could not be read; the document says so. 3 and 4: a gate holds.
_WITH_RESULT = (0, 3, 4, 5)


def run(words):
    """Standard output of `lockstep WORDS`."""
    done = subprocess.run([program(), *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode not in _WITH_RESULT:
        text = done.stderr.decode("utf-8", "replace").strip()
        prefix = "lockstep: "
        raise LockstepError(text[len(prefix):] if text.startswith(prefix) else text, done.returncode)
    return done.stdout


def document(words, texts=()):
    """The JSON document of `lockstep WORDS --format=json`. texts: paths and queries, which may begin with a dash."""
    return json.loads(run([*words, "--format=json", "--quiet", *(("--", *texts) if texts else ())]))


def options(ranks=None, steps=None, filter=None, params=None):
    """The words of the options that narrow a run."""
    words = []
    for name, value in (("ranks", ranks), ("steps", steps), ("filter", filter)):
        if value is not None:
            words.append(f"--{name}={_numbers(value)}")
    for name, value in (params or {}).items():
        words.append(f"--param={name}={value}")
    return words


_REMOTE = re.compile(r"(?!-)[^/\\\s]{2,}?:~?/(?!/)")


def is_remote(path):
    """Whether a path has the form [USER@]HOST:/path; what it is on that machine, the program finds out."""
    return _REMOTE.match(path) is not None


def _numbers(value):
    """"0-3,8", 3 or [0, 1, 8] as the command line has it."""
    if isinstance(value, (list, tuple, set, range)):
        return ",".join(str(number) for number in sorted(value))
    return str(value)
