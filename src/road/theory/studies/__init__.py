"""One module per study: ``compute`` gives its numbers as plain data, ``draw`` its figures."""
