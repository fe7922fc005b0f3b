"""The recipes in CONTRIBUTING.md name files that are there."""

import re

import pytest
from rooms import FOLDERS, ROOT

RECIPES = (ROOT / "CONTRIBUTING.md").read_text()
PATHS = sorted(set(re.findall(rf"`((?:{'|'.join(FOLDERS)}|tests)/[\w/.]*)`", RECIPES)))
# The example of a resource that landform does not have.
NEW = "redirects.py"


@pytest.mark.parametrize("path", [path for path in PATHS if not path.endswith(NEW)])
def test_a_file_of_a_recipe_is_there(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("path", [path for path in PATHS if path.endswith(NEW)])
def test_a_new_file_goes_into_a_folder_that_is_there(path: str) -> None:
    assert (ROOT / path).parent.is_dir()
    assert not (ROOT / path).exists()
