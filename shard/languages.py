"""Language codes: every spelling found in archives to ISO 639-1.

Archives name their language in ISO 639-3 (``eng``), sometimes in 639-1 (``en``, ``EN``), as a
locale (``pt-br``), as a list (``eng,fra``: the first counts) or with stray characters around it.
"""

import re

_TABLE = """
aar aa abk ab afr af aka ak alb sq sqi sq amh am ara ar arg an arm hy hye hy asm as ava av ave ae
aym ay aze az bak ba bam bm baq eu eus eu bel be ben bn bis bi bod bo tib bo bos bs bre br bul bg
bur my mya my cat ca ces cs cze cs cha ch che ce chi zh zho zh cmn zh chu cu chv cv cor kw cos co
cre cr cym cy wel cy dan da deu de ger de div dv dut nl nld nl dzo dz ell el gre el eng en epo eo
est et ewe ee fao fo fas fa per fa pes fa fij fj fin fi fra fr fre fr fry fy ful ff geo ka kat ka
gla gd gle ga glg gl glv gv grn gn guj gu hat ht hau ha hbs sh heb he her hz hin hi hmo ho hrv hr
hun hu ibo ig ice is isl is ido io iii ii iku iu ile ie ina ia ind id ipk ik ita it jav jv jpn ja
kal kl kan kn kas ks kau kr kaz kk khm km kik ki kin rw kir ky kom kv kon kg kor ko kua kj kur ku
lao lo lat la lav lv lim li lin ln lit lt ltz lb lub lu lug lg mac mk mkd mk mah mh mal ml mao mi
mri mi mar mr may ms msa ms zsm ms mlg mg mlt mt mon mn nau na nav nv nbl nr nde nd ndo ng nep ne
nno nn nob nb nor no nya ny oci oc oji oj ori or orm om oss os pan pa pli pi pol pl por pt pus ps
que qu roh rm ron ro rum ro run rn rus ru sag sg san sa sin si slk sk slo sk slv sl sme se smo sm
sna sn snd sd som so sot st spa es srd sc srp sr ssw ss sun su swa sw swe sv tah ty tam ta tat tt
tel te tgk tg tgl tl tha th tir ti ton to tsn tn tso ts tuk tk tur tr twi tw uig ug ukr uk urd ur
uzb uz ven ve vie vi vol vo wln wa wol wo xho xh yid yi yor yo zha za zul zu
"""


def _pairs(table: str) -> dict[str, str]:
    codes = table.split()
    return dict(zip(codes[::2], codes[1::2], strict=True))


_BY_LONG_CODE = _pairs(_TABLE)
_SHORT_CODES = frozenset(_BY_LONG_CODE.values())
_FIRST_CODE = re.compile(r"[a-z]+")


def iso_639_1(spelling: str) -> str:
    """Return the ISO 639-1 code of the first language in ``spelling``; empty if it has none."""
    match = _FIRST_CODE.search(spelling.strip().lower())
    if match is None:
        return ""
    code = match.group()
    return code if code in _SHORT_CODES else _BY_LONG_CODE.get(code, "")
