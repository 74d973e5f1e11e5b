"""Makes the lists of one language each from packages and from what was written by hand. See ../SOURCES.md.

    pip download --no-deps mimesis==22.2.0          # unpack the wheel into PACKAGES
    python make.py PACKAGES                         # writes de.txt, fr.txt, es.txt, it.txt, pt.txt and nl.txt
"""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
LOCALES = {
    "de": ["de", "de-at", "de-ch"],
    "fr": ["fr"],
    "es": ["es", "es-mx"],
    "it": ["it"],
    "pt": ["pt", "pt-br"],
    "nl": ["nl", "nl-be"],
}
COUNTRIES = {
    "de": ["DE", "AT", "CH"],
    "fr": ["FR", "BE", "CH"],
    "es": ["ES", "MX", "AR", "CO", "CL", "PE"],
    "it": ["IT", "CH"],
    "pt": ["PT", "BR"],
    "nl": ["NL", "BE"],
}
ORIGINS = {"de": "german", "fr": "french", "es": "hispanic", "it": "italian", "pt": "portuguese", "nl": "dutch"}
MOST = {"given-f": 700, "given-m": 700, "family": 2000, "city": 900, "street": 500, "job": 300, "country": 250, "region": 120, "school": 80}
WHOLE = {"rue", "avenue", "boulevard", "place", "chemin", "calle", "avenida", "av", "avda", "plaza", "paseo", "via", "viale", "corso", "piazza", "alameda"}
LATIN = re.compile(r"^[A-Za-zÀ-ɏ'][A-Za-zÀ-ɏ'’. -]*$")


def every(entries, most):
    """Every n-th entry, so that a sorted list keeps all initials."""
    step = max(1, len(entries) / most)
    return [entries[int(n * step)] for n in range(min(most, len(entries)))]


def unique(entries):
    seen = set()
    kept = []
    for entry in entries:
        entry = " ".join(entry.split())
        if entry and entry.lower() not in seen and LATIN.match(entry):
            seen.add(entry.lower())
            kept.append(entry)
    return kept


def written(language):
    sections = {}
    for line in (HERE / f"written-{language}.txt").read_text("utf-8").splitlines():
        name, entries = line[1:].split("] ", 1)
        sections[name] = entries.split("|")
    return sections


def streets(address, language):
    names = address.get("street", {})
    suffixes = [s for s in names.get("suffix", []) if s not in ("Saint", "Parc", "Prom.", "Cour", "Via degli", "Grand Rue")]
    for n, name in enumerate(names.get("name", [])):
        if any(c.isdigit() for c in name) or len(name) < 4:
            continue
        whole = not suffixes or name.split()[0].lower() in WHOLE or language in ("de", "nl")
        yield name if whole else f"{suffixes[n % len(suffixes)]} {name}"


def packaged(packages, language):
    found = {name: [] for name in MOST}
    for locale in LOCALES[language]:
        folder = packages / "mimesis/datasets" / locale
        person = json.loads((folder / "person.json").read_text("utf-8"))
        for gender, name in (("female", "given-f"), ("male", "given-m")):
            found[name] += person.get("names", {}).get(gender, [])
        surnames = person.get("surnames", [])
        found["family"] += surnames if isinstance(surnames, list) else surnames.get("male", [])
        for job in person.get("occupation", []):
            found["job"] += [part.strip() for part in job.split("/")] if language == "de" else [job[:1].lower() + job[1:]]
        if (folder / "address.json").exists():
            address = json.loads((folder / "address.json").read_text("utf-8"))
            found["city"] += address.get("city", [])
            found["country"] += address.get("country", {}).get("name", [])
            found["region"] += address.get("state", {}).get("name", [])
            if locale in ("de", "fr", "it", "nl", "es"):
                found["street"] += list(streets(address, language))
    return found


def main(packages):
    cities = [line.split("\t") for line in (HERE.parent / "cities.txt").read_text("utf-8").splitlines()]
    for language in LOCALES:
        hand, found = written(language), packaged(packages, language)
        local = [name for name, country in cities if country.split("-")[0] in COUNTRIES[language]]
        family = (HERE.parent / f"family-{ORIGINS[language]}.txt").read_text("utf-8").split("\n")
        lines = []
        for section in sorted(set(hand) | set(found)):
            first = unique(hand.get(section, [])) if section in MOST else hand.get(section, [])
            more = unique(found.get(section, []))
            if section == "city":
                more = unique(local[:500] + every(more, 600))
            if section == "family":
                more = unique(every(more, 1500) + family[:700])
            entries = unique(first + every(more, MOST.get(section, 0))) if section in MOST else first
            lines.append(f"[{section}]")
            lines += entries
        (HERE / f"{language}.txt").write_text("\n".join(lines) + "\n", "utf-8")
        print(language, len(lines))


main(Path(sys.argv[1]))
