"""What all operator descriptors share: names made by rule, fields, checks, and the plan."""
