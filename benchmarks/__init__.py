"""Speed, measured side by side: ``python -m benchmarks.run`` (see the README beside this file)."""
