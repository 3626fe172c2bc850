"""The two fills: sequences, the door for arrays, files, comparing, explaining."""
