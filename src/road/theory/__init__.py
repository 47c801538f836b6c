"""The paper's theory on problems small enough to be exact: what holds, what does not."""
