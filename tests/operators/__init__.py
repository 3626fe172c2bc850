"""One file per operator: what it computes, against an oracle, and what it refuses."""
