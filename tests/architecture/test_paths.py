"""The files of the code that papers name are there."""

import re
from pathlib import Path

import pytest
from rooms import FOLDERS, ROOT

PAPERS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
PLACES = "|".join((*FOLDERS, "tests", "deploy", "bench", "docs", "examples"))
# The recipe's example of a resource that landform does not have.
NEW = "redirects.py"


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_a_file_that_a_paper_names_is_there(paper: Path) -> None:
    named = re.findall(rf"`((?:{PLACES})/[\w/.]*)`", paper.read_text())
    missing = [name for name in named if not (ROOT / name).exists() and not name.endswith(NEW)]
    assert missing == []
