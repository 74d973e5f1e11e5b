"""Writes the lists that the languages need into a pack.

    python pack.py LISTS PACK        # crates/surrogates/lists models/en

gazetteer-languages.txt has a key and its flags per line, sorted by bytes: the same entries that `train.py` uses.
surrogates-languages.txt has the lists that surrogates are drawn from.
"""

import sys
from pathlib import Path

from train import gazetteer
from values import LANGUAGES, read_lists

DRAWN = ["given-f", "given-m", "family", "city", "street", "job", "disease", "title-m", "title-f", "doctor", "company-word", "company-suffix"]
NOTES = """\
# Names, places and words of six languages from which inkveil draws surrogates. Made from crates/surrogates/lists/languages.
# Names, cities, streets and jobs: the package mimesis 22.2.0 (MIT), GeoNames (CC BY 4.0, creativecommons.org/licenses/by/4.0)
# and the U.S. Census Bureau (public domain). All others: written for inkveil. Apache-2.0 OR MIT.
"""


def main(lists, pack):
    lists, pack = Path(lists), Path(pack)
    languages = read_lists(lists / "languages")
    entries = gazetteer(languages, lists)
    lines = [f"{key}\t{flags}\n" for key, flags in sorted(entries.items(), key=lambda entry: entry[0].encode())]
    (pack / "gazetteer-languages.txt").write_text("".join(lines), "utf-8")
    text = NOTES
    for language in LANGUAGES:
        for section in DRAWN:
            text += f"[{language}/{section}]\n" + "".join(entry + "\n" for entry in languages[language][section])
    (pack / "surrogates-languages.txt").write_text(text, "utf-8")
    print(len(entries), "entries")


main(*sys.argv[1:])
