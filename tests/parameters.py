"""What tests of several files are tried with: a seed, every data type; and many tests in one."""

import functools
import inspect
import itertools

import pytest

from tests.reference import DTYPES

SEED = 20240419


def by_dtype(dtypes=DTYPES):
    return pytest.mark.parametrize("dtype", dtypes, ids=str)


def in_one_test(**values):
    """Call a test with every combination, as `parametrize` does; a failure says with which.

    A test by itself takes 5 ms to be found, started and told of: many of these take less to run.
    They share the test's fixtures and whatever it leaves set.
    """

    def decorate(test):
        signature = inspect.signature(test)

        @functools.wraps(test)
        def run(**given):
            for chosen in itertools.product(*values.values()):
                combination = dict(zip(values, chosen, strict=True))
                try:
                    test(**given, **combination)
                except pytest.skip.Exception:
                    pytest.fail(f"skips what comes after {combination}: needs a test of its own")
                except BaseException as error:
                    error.add_note(f"with {combination}")
                    raise

        others = [p for name, p in signature.parameters.items() if name not in values]
        run.__signature__ = signature.replace(parameters=others)
        return run

    return decorate
