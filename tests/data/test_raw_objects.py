"""What is no dataset, given to functions that make one: one line that says what is expected.

In a process of its own: here every argument is checked against its type before the function runs.
"""

import json
import subprocess
import sys

CASES = [
    ("load(None)", "a source is text such as 'file:PATH', got NoneType"),
    ("load(7)", "got int"),
    ("load(Path('log.csv'))", "got PosixPath; did you mean 'file:log.csv'?"),
    ("load({'observations': []})", "got dict; arrays go to from_arrays"),
    ("load(b'file:x')", "got bytes"),
    ("from_arrays(None)", "expected a dict of arrays by name"),
    ("from_arrays([1, 2])", "got list"),
    ("from_arrays('file:x')", "got str"),
    ("from_arrays({1: [0.0]})", "arrays are named by text, got '1'"),
    (
        "from_arrays({'observations': [[1.0], [1.0, 2.0]], 'actions': 0, 'rewards': 0})",
        "observations is no array of numbers",
    ),
    ("from_arrays({'observations': 3, 'actions': 3, 'rewards': 3})", "observation has shape (1,)"),
    ("from_arrays({'observations': 0, 'actions': 0, 'rewards': object()})", "reward holds object"),
    ("from_episodes(None)", "expected a list of episodes"),
    ("from_episodes(7)", "got int"),
    ("from_episodes({'observations': []})", "got dict"),
    ("from_episodes([None])", "episode 0: expected a dict of arrays"),
    ("from_episodes([])", "there is no episode"),
]
ASK = """
import json, sys
from pathlib import Path
from road.data import from_arrays, from_episodes, load
from road.errors import RoadError

def answer(call):
    try:
        eval(call)
    except RoadError as error:
        return str(error)
    except Exception as error:
        return "not a RoadError: " + repr(error)
    return "nothing was raised"

print(json.dumps([answer(call) for call in json.loads(sys.argv[1])]))
"""


def test_it_is_refused_in_one_line() -> None:
    words = [sys.executable, "-c", ASK, json.dumps([call for call, _ in CASES])]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    answers = json.loads(done.stdout)
    wrong = {
        call: said
        for (call, expected), said in zip(CASES, answers, strict=True)
        if expected not in said or "\n" in said
    }
    assert wrong == {}
