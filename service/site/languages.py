"""The languages of pages: the tags in their meta, and how each is written."""

import re

from landform.service.options import LANGUAGE_TAG
from landform.storage.rows import Row
from landform.storage.search import NAMES

# The scripts in use that are written from right to left, the languages that are usually written in
# one of them, and those where it depends on the country.
RIGHT_TO_LEFT_SCRIPTS = frozenset("adlm arab aran hebr mand nkoo rohg samr syrc thaa".split())
RIGHT_TO_LEFT = frozenset(
    "aeb ar arc ary arz azb bal bgn bqi brh ckb dv fa glk ha-sd haz he hno iw ji ks khw lad lki "
    "lrc luz mzn nqo pal phr pnb prs ps pus sd sdh skr syr ug ur yi "
    "az-iq az-ir kk-af kk-cn kk-ir ku-iq ku-ir ky-cn ms-cc pa-pk tg-pk uz-af".split()
)
LEFT_TO_RIGHT = frozenset("sd-in ug-kz ug-mn".split())
# The countries of languages that have another code.
COUNTRIES = dict(
    pair.split("_")
    for pair in (
        "en_US ar_AR be_BY bn_IN bs_BA ca_ES cs_CZ cy_GB da_DK el_GR et_EE eu_ES fa_IR ga_IE gl_ES "
        "gu_IN he_IL hi_IN hy_AM ja_JP ka_GE kk_KZ km_KH ko_KR ms_MY nb_NO nn_NO pa_IN sl_SI sq_AL "
        "sr_RS sv_SE sw_KE ta_IN te_IN uk_UA ur_PK vi_VN zh_CN"
    ).split()
)
# The extensions of a tag, each of which begins with a single letter.
EXTENSIONS = re.compile("-[a-z0-9]-.*")


def page_languages(meta: Row) -> list[str]:
    """Return the language tags in the meta of a page."""
    languages = meta.get("language")
    codes = [
        code
        for item in (languages if isinstance(languages, list) else [])
        for code in ([item.get(name) for name in NAMES] if isinstance(item, dict) else [item])
    ]
    tags = [code.strip().replace("_", "-") for code in codes if isinstance(code, str)]
    return [tag for tag in tags if re.fullmatch(LANGUAGE_TAG, tag)]


def locale_of(tag: str) -> str:
    """Return a language and a country for networks that show links: `de_DE` for `de`."""
    language, *more = EXTENSIONS.sub("", tag.lower()).split("-")
    regions = [part.upper() for part in more if len(part) == 2 or part.isdecimal()]
    return f"{language}_{[*regions, COUNTRIES.get(language, language.upper())][0]}"


def direction_of(tag: str) -> str:
    """Return `rtl` for a language that is written from right to left, else `ltr`.

    By its script, if the tag has one.
    """
    language, *subtags = EXTENSIONS.sub("", tag.lower().replace("_", "-")).split("-")
    script = next((part for part in subtags[:2] if len(part) == 4 and part.isalpha()), "")
    region = next((part for part in subtags if len(part) == 2), "")
    local = f"{language}-{region}"
    is_usual = local in RIGHT_TO_LEFT or (language in RIGHT_TO_LEFT and local not in LEFT_TO_RIGHT)
    is_reversed = script in RIGHT_TO_LEFT_SCRIPTS if script else is_usual
    return "rtl" if is_reversed else "ltr"
