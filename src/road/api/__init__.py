"""The library from Python: ``road.finetune``, and what a run shows while it goes on."""
