"""The direction of the language of a page, and its short description."""

import re
import unicodedata

DESCRIPTION_CHARACTERS = 160
# A description ends at a space only if it is then this long.
MIN_CHARACTERS = DESCRIPTION_CHARACTERS * 2 // 3
# By CLDR: the scripts written from right to left, the languages usually written in one of them,
# and the countries where that differs.
RIGHT_TO_LEFT_SCRIPTS = frozenset(
    "adlm arab aran armi avst chrs cprt elym gara hatr hebr hung khar lydi mand mani mend "
    "merc mero narb nbat nkoo orkh ougr palm phli phlp phnx prti rohg samr sarb sogd sogo "
    "sidt syrc syre syrj syrn thaa todr yezi".split()
)
RIGHT_TO_LEFT = frozenset(
    "ara arb div fas heb kas per pes prs pus snd uig urd ydd yid "
    "aao abh abv acm acq acw acx adf ae aeb aec aee aeq afb aib aii aij aiq ajp amw apc apd "
    "ar arc arq ars ary arz ask atn auj auz avd avl ayh ayl ayn ayp azb bal bcc bdz bej bft "
    "bgn bgp bhe bhm bhn bjf bjm bqi brh brk bsh bsk chg cja ckb clh czk dcc def deh dgl "
    "dmk dml dv ecy esh fa fay faz fia fub gbz ggg gha ghr gig gjk gju glh glk grr gwc gwf "
    "gwt gzi hac haz hbo he hkh hnd hno hoh hrt hrz hss huy isk itk iw jad jat jbe jbn jdg "
    "ji jnd jog jpa jpr jrb jye kbu kby kcy kfm khw klj kmz kqd ks ktl ku kvx kxp lad lah "
    "lhs lki lrc lrk lrl lsa lsd lss luv luz mby mde mey mfa mfi mhj mid mki mnj mve mvy "
    "myz mzb mzn nli nlm nqo ntz nyq oar obm odk oru ota otk oui pal pbt pbu pgd phl phn "
    "phr phv plk pnb prc prd prx ps psh psi pst qxq rdb rhg rmt sam sbn scl sd sdb sdf sdg "
    "sdh sds sgr sgy shd shm shu shv siy siz skr smp smy sog soj sqo sqt srh srz ssh sts "
    "swb syc syn syr tjo tks tmr tov tra trg trm trw ug ur ush uyg uzs vaf vgr vmh wbk wlo "
    "wne wni wsv xco xhe xka xkc xkj xkp xld xly xmn xmr xna xpr xsa xsd xvi ydg yhd yi yih "
    "yud zba zdj zrp zum".split()
)
REGIONS = {
    **dict.fromkeys(
        "az-iq az-ir kk-af kk-cn kk-ir kk-mn ky-cn pa-pk tg-pk uz-af ha-sd ms-cc".split(), True
    ),
    **dict.fromkeys("ku-am ku-az ku-ge ku-tm ku-tr sd-in ug-kz ug-mn".split(), False),
}
# The extensions of a tag, each of which begins with a single letter.
EXTENSIONS = re.compile("-[a-z0-9]-.*")
# Characters that belong to the letter before, beside combining marks: joiners, skin tones, tags of
# flags, later parts of Korean syllables, and signs of Thai, Lao and Japanese.
JOINING = re.compile(
    "[\u200c\u200d\u0e33\u0eb3\u1160-\u11ff\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
# A flag is two of these.
FLAG_LETTERS = re.compile("[\U0001f1e6-\U0001f1ff]*$")
# The combining class of a mark that joins two letters of Indic scripts.
VIRAMA = 9


def is_right_to_left(tag: str) -> bool:
    """Return whether a language is written from right to left, by its script if the tag has one."""
    language, *subtags = EXTENSIONS.sub("", tag.lower().replace("_", "-")).split("-")
    script = next((part for part in subtags[:2] if len(part) == 4 and part.isalpha()), "")
    if script:
        return script in RIGHT_TO_LEFT_SCRIPTS
    region = next((part for part in subtags if len(part) == 2), "")
    return REGIONS.get(f"{language}-{region}", language in RIGHT_TO_LEFT)


def shorten(text: str) -> str:
    """Return the beginning of a text, cut between words or at least between letters."""
    if len(text) <= DESCRIPTION_CHARACTERS:
        return text
    end = text.rfind(" ", MIN_CHARACTERS, DESCRIPTION_CHARACTERS + 1)
    if end < 0:
        end = DESCRIPTION_CHARACTERS
        while end > MIN_CHARACTERS and _is_joined(text, end):
            end -= 1
    return text[:end].rstrip(" ,;:-、，；：") + "…"


def _is_joined(text: str, end: int) -> bool:
    """Return whether the character at `end` belongs to the letter before it."""
    character, before = text[end], text[end - 1]
    if "\U0001f1e6" <= character <= "\U0001f1ff":
        return len(FLAG_LETTERS.findall(text[:end])[0]) % 2 == 1
    return bool(
        unicodedata.category(character).startswith("M")
        or JOINING.match(character)
        or before == "\u200d"
        or unicodedata.combining(before) == VIRAMA
    )
