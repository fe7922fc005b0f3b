"""Tests in process start no program, so that `make test` stays quick, and all are collected."""

import subprocess

import pytest
from conftest import TESTS, processes


def test_a_test_that_starts_a_program_without_saying_so_fails() -> None:
    with pytest.raises(RuntimeError, match="mark the test `servers`"):
        subprocess.run(["true"], check=True)
    with pytest.raises(RuntimeError, match="mark the test `servers`"):
        processes(1)


def test_every_file_of_tests_has_a_name_of_its_own() -> None:
    names = [path.name for path in TESTS.rglob("test_*.py") if "node_modules" not in path.parts]
    assert len(names) == len(set(names))
