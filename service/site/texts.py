"""Texts of a page for its head: the direction of its language, and a short description."""

import re
import unicodedata

DESCRIPTION_CHARACTERS = 160
# A description ends at a space only if that leaves so much of it.
MOST_OF_IT = DESCRIPTION_CHARACTERS * 2 // 3
# By CLDR: the scripts that are written from right to left, the languages that are usually written
# in one of them, and the countries that differ from that.
RIGHT_TO_LEFT_SCRIPTS = frozenset(
    "adlm arab aran armi avst chrs cprt elym gara hatr hebr hung khar lydi mand mani mend "
    "merc mero narb nbat nkoo orkh ougr palm phli phlp phnx prti rohg samr sarb sogd sogo "
    "syrc syre syrj syrn thaa todr yezi".split()
)
RIGHT_TO_LEFT = frozenset(
    "aao abh abv acm acq acw acx acy adf aeb aec afb ajp apc apd ar arc arq ars ary arz auz "
    "avl ayh ayl ayn ayp azb bal bcc bej bft bgn bgp bhn bqi brh bsh ckb cja cjm dcc dv esh "
    "fa fia fub gju gjk glk gwc gwt haz hbo he hnd hno iw jat jdt ji jpr khw kls ks ku kvx "
    "kxp lad lah lki lrc lss luz mby men mfa mve mvy mzn nqo nsk ota oru pbt pbu peo pga phl "
    "phr phv pnb prd ps rhg rmt sam scl sd sdh shd shu siz skr smp soj ssh sqt sus swb syc "
    "syr tkr tks tmr trw ug uga ur ush uyg vaf wni xco xld xmn xmr xna xpr xsa yi yud zdj "
    "zkt".split()
) - frozenset("bej cja fia kxp lad men smp sus swb vaf wni tkr tmr oru mfa zdj".split())
REGIONS = {
    **dict.fromkeys(
        "az-iq az-ir kk-af kk-cn kk-ir kk-mn ky-cn pa-pk tg-pk uz-af ha-sd ms-cc".split(), True
    ),
    **dict.fromkeys("sd-in ug-kz ug-mn ku-tr".split(), False),
}
# Joins letters, or changes the one before.
JOINING = re.compile("[\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef]")


def is_right_to_left(tag: str) -> bool:
    """Return whether a language is written from right to left, by its script if the tag has one."""
    language, *rest = tag.lower().replace("_", "-").split("-")
    script = next((part for part in rest[:2] if len(part) == 4 and part.isalpha()), "")
    if script:
        return script in RIGHT_TO_LEFT_SCRIPTS
    region = next((part for part in rest if len(part) == 2), "")
    return REGIONS.get(f"{language}-{region}", language in RIGHT_TO_LEFT)


def shorten(text: str) -> str:
    """Return the beginning of a text: whole words if there are short ones, else whole letters."""
    if len(text) <= DESCRIPTION_CHARACTERS:
        return text
    end = text.rfind(" ", MOST_OF_IT, DESCRIPTION_CHARACTERS + 1)
    if end < 0:
        end = DESCRIPTION_CHARACTERS
        while end > MOST_OF_IT and _is_joined(text, end):
            end -= 1
    return text[:end].rstrip(" ,;:-、，；：") + "…"


def _is_joined(text: str, end: int) -> bool:
    """Return whether what begins here is a part of the letter before."""
    here, before = text[end], text[end - 1]
    return bool(unicodedata.combining(here) or JOINING.match(here) or before == "\u200d")
