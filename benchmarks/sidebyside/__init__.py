"""The same algorithm, data and number of updates in two libraries, judged in one environment."""
