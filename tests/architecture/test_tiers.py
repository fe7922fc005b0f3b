"""Tests in process start no program, so that `make test` stays quick."""

import subprocess

import pytest
from conftest import processes


def test_a_test_that_starts_a_program_without_saying_so_fails() -> None:
    with pytest.raises(RuntimeError, match="mark the test `servers`"):
        subprocess.run(["true"], check=True)
    with pytest.raises(RuntimeError, match="mark the test `servers`"):
        processes(1)
