"""How steps run. One file per kind of device: each has a `run(plan, outputs)` of its own."""
