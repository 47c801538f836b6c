"""Tables in the documents are those that the records give."""

import json

from benchmarks import learning
from tests.docs.reading import DOCS


def test_the_table_of_learning_is_that_of_its_record():
    kept = json.loads(learning.RECORD.read_text())["agents"]
    assert learning.table(kept) in (DOCS / "agents" / "record.md").read_text()
