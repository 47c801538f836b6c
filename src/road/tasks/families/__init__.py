"""The paper's tasks: each module makes the environments of a family and lists its tasks."""
