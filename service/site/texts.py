"""The direction of the language of a page, and its short description."""

import re
import unicodedata

DESCRIPTION_CHARACTERS = 160
# A description ends at a space only if it is then this long.
MIN_CHARACTERS = DESCRIPTION_CHARACTERS * 2 // 3
# The scripts in use that are written from right to left, the languages that are usually written in
# one of them, and those where it depends on the country.
RIGHT_TO_LEFT_SCRIPTS = frozenset("adlm arab aran hebr mand nkoo rohg samr syrc thaa".split())
RIGHT_TO_LEFT = frozenset(
    "aeb ar arc ary arz azb bal bgn bqi brh ckb dv fa glk ha-sd haz he hno iw ji ks khw lad lki "
    "lrc luz mzn nqo pal phr pnb prs ps pus sd sdh skr syr ug ur yi "
    "az-iq az-ir kk-af kk-cn kk-ir ku-iq ku-ir ky-cn ms-cc pa-pk tg-pk uz-af".split()
)
LEFT_TO_RIGHT = frozenset("sd-in ug-kz ug-mn".split())
# The extensions of a tag, each of which begins with a single letter.
EXTENSIONS = re.compile("-[a-z0-9]-.*")


def is_right_to_left(tag: str) -> bool:
    """Return whether a language is written from right to left, by its script if the tag has one."""
    language, *subtags = EXTENSIONS.sub("", tag.lower().replace("_", "-")).split("-")
    script = next((part for part in subtags[:2] if len(part) == 4 and part.isalpha()), "")
    if script:
        return script in RIGHT_TO_LEFT_SCRIPTS
    region = next((part for part in subtags if len(part) == 2), "")
    local = f"{language}-{region}"
    return local in RIGHT_TO_LEFT or (language in RIGHT_TO_LEFT and local not in LEFT_TO_RIGHT)


def shorten(text: str) -> str:
    """Return the beginning of a text, cut between words or at least between letters."""
    if len(text) <= DESCRIPTION_CHARACTERS:
        return text
    end = text.rfind(" ", MIN_CHARACTERS, DESCRIPTION_CHARACTERS + 1)
    if end < 0:
        end = DESCRIPTION_CHARACTERS
        # A mark, such as an accent, belongs to the letter before it.
        while end > MIN_CHARACTERS and unicodedata.category(text[end]).startswith("M"):
            end -= 1
    return text[:end].rstrip(" ,;:-、，；：") + "…"
