"""Dispatch models: the JSON models of Microsoft's DxDispatch, read, checked and run.

`text` turns a file's text into objects, `parsing` turns objects into a `Model`, `running` executes
it, `printing` writes values as DxDispatch does. Nothing here prints.
"""
