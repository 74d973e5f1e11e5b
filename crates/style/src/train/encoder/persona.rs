//! Artificial ways of writing: the same text as different people might type it.
//!
//! A persona is a few habits, each with a strength. Two texts by one persona share nothing but
//! style, and one text by two personas differs in nothing else. No collection of real authors has
//! such pairs.

use inkveil_nn::SplitMix;

/// Pairs with the same meaning. A persona prefers one side.
const PREFERENCES: &[(&str, &str)] = &[
    ("however", "but"),
    ("therefore", "so"),
    ("very", "really"),
    ("perhaps", "maybe"),
    ("until", "till"),
    ("although", "though"),
    ("large", "big"),
    ("small", "little"),
    ("begin", "start"),
    ("began", "started"),
    ("purchase", "buy"),
    ("assist", "help"),
    ("children", "kids"),
    ("also", "too"),
    ("nearly", "almost"),
    ("often", "a lot of the time"),
    ("many", "a lot of"),
    ("because", "since"),
    ("because", "bc"),
    ("people", "folks"),
    ("probably", "prob"),
    ("okay", "ok"),
    ("yes", "yeah"),
    ("and", "&"),
    ("you", "u"),
    ("your", "ur"),
    ("are", "r"),
    ("though", "tho"),
    ("with", "w/"),
    ("without", "w/o"),
    ("going to", "gonna"),
    ("want to", "wanna"),
    ("have to", "gotta"),
    ("kind of", "kinda"),
    ("sort of", "sorta"),
    ("a lot", "alot"),
    ("upon", "on"),
    ("towards", "toward"),
    ("while", "whilst"),
    ("among", "amongst"),
    ("among", "between"),
    ("each other", "one another"),
    ("gotten", "got"),
    ("everyone", "everybody"),
    ("someone", "somebody"),
    ("anyone", "anybody"),
    ("no one", "nobody"),
    ("thus", "so"),
    ("indeed", "really"),
    ("must", "have to"),
    ("cannot", "can not"),
    ("all right", "alright"),
    ("for example", "e.g."),
    ("that is", "i.e."),
    // British and American spellings.
    ("colour", "color"),
    ("favour", "favor"),
    ("favourite", "favorite"),
    ("honour", "honor"),
    ("neighbour", "neighbor"),
    ("behaviour", "behavior"),
    ("humour", "humor"),
    ("labour", "labor"),
    ("realise", "realize"),
    ("organise", "organize"),
    ("recognise", "recognize"),
    ("apologise", "apologize"),
    ("centre", "center"),
    ("theatre", "theater"),
    ("grey", "gray"),
    ("travelling", "traveling"),
    ("travelled", "traveled"),
    ("programme", "program"),
    ("defence", "defense"),
    ("learnt", "learned"),
];

/// Full and contracted forms.
const CONTRACTIONS: &[(&str, &str)] = &[
    ("do not", "don't"),
    ("does not", "doesn't"),
    ("did not", "didn't"),
    ("is not", "isn't"),
    ("are not", "aren't"),
    ("was not", "wasn't"),
    ("were not", "weren't"),
    ("have not", "haven't"),
    ("has not", "hasn't"),
    ("had not", "hadn't"),
    ("will not", "won't"),
    ("can not", "can't"),
    ("cannot", "can't"),
    ("could not", "couldn't"),
    ("should not", "shouldn't"),
    ("would not", "wouldn't"),
    ("i am", "i'm"),
    ("i have", "i've"),
    ("i will", "i'll"),
    ("i would", "i'd"),
    ("you are", "you're"),
    ("you have", "you've"),
    ("you will", "you'll"),
    ("we are", "we're"),
    ("we have", "we've"),
    ("they are", "they're"),
    ("they have", "they've"),
    ("it is", "it's"),
    ("that is", "that's"),
    ("he is", "he's"),
    ("she is", "she's"),
    ("there is", "there's"),
    ("what is", "what's"),
    ("let us", "let's"),
];

/// Openings and closings of sentences.
const OPENERS: &[&str] = &[
    "Honestly, ",
    "I think ",
    "Well, ",
    "So, ",
    "Look, ",
    "In my opinion, ",
    "Of course, ",
    "And ",
    "But ",
    "Now, ",
    "To be fair, ",
    "Frankly, ",
    "Basically, ",
    "Anyway, ",
    "Oh, ",
    "I mean, ",
    "Actually, ",
    "As I said, ",
];
const CLOSERS: &[&str] =
    &[" lol", " haha", " :)", " :(", " ;)", " <3", " imo", ", you know", ", right?", " tbh", " xD", " …"];

#[rustfmt::skip]
const NUMBERS: &[(&str, &str)] = &[
    ("two", "2"), ("three", "3"), ("four", "4"), ("five", "5"), ("six", "6"), ("seven", "7"), ("eight", "8"), ("nine", "9"), ("ten", "10"),
    ("twelve", "12"), ("twenty", "20"),
];

/// A way of writing, drawn at random.
pub(crate) struct Persona {
    /// The preferred replacements.
    swaps: Vec<(&'static str, &'static str)>,
    casing: Casing,
    full_stop: &'static str,
    /// What sometimes replaces a full stop, and how often.
    ending: Option<(&'static str, f64)>,
    drops_commas: f64,
    drops_apostrophes: bool,
    curly: bool,
    dash: Option<&'static str>,
    blank_before_marks: bool,
    opener: Option<(&'static str, f64)>,
    closer: Option<(&'static str, f64)>,
    shouts: f64,
    slips: f64,
    a_line_each: bool,
}

#[derive(Clone, Copy)]
enum Casing {
    AsIs,
    Lower,
    LowerI,
    LowerStarts,
}

impl Persona {
    /// Draws a persona. Most habits are ordinary, and a few are not.
    pub(crate) fn draw(random: &mut SplitMix) -> Self {
        let mut swaps = Vec::new();
        let (formal, contracts) = (chance(random, 0.5), random.unit());
        for &(a, b) in PREFERENCES {
            // An author who is formal in one word tends to be formal in others.
            match random.unit() {
                x if x < 0.35 => swaps.push(if formal { (b, a) } else { (a, b) }),
                x if x < 0.45 => swaps.push(if formal { (a, b) } else { (b, a) }),
                _ => {}
            }
        }
        for &(long, short) in CONTRACTIONS {
            match contracts {
                x if x < 0.35 => swaps.push((short, long)),
                x if x < 0.7 => swaps.push((long, short)),
                _ => {}
            }
        }
        for &(word, digits) in NUMBERS {
            if contracts < 0.5 {
                swaps.push((word, digits));
            }
        }
        let casing = match random.unit() {
            x if x < 0.15 => Casing::Lower,
            x if x < 0.25 => Casing::LowerI,
            x if x < 0.3 => Casing::LowerStarts,
            _ => Casing::AsIs,
        };
        let pick = |random: &mut SplitMix, share: f64, items: &[&'static str]| {
            let (hit, at) = (chance(random, share), random.next() as usize);
            hit.then(|| items[at % items.len()])
        };
        let often = |random: &mut SplitMix| 0.15 + 0.5 * random.unit();
        Persona {
            casing,
            full_stop: pick(random, 0.3, &[".  ", ".  ", ".\n", ".\n\n"]).unwrap_or(". "),
            ending: pick(random, 0.35, &["!", "!!", "...", "…", "!!!", ";"])
                .map(|mark| (mark, often(random))),
            drops_commas: if chance(random, 0.25) { often(random) + 0.2 } else { 0.0 },
            drops_apostrophes: chance(random, 0.15),
            curly: chance(random, 0.2),
            dash: pick(random, 0.3, &[" - ", " -- ", "\u{2014}", " \u{2013} ", " \u{2014} "]),
            blank_before_marks: chance(random, 0.06),
            opener: pick(random, 0.3, OPENERS).map(|opener| (opener, 0.1 + 0.2 * random.unit())),
            closer: pick(random, 0.2, CLOSERS).map(|closer| (closer, 0.1 + 0.3 * random.unit())),
            shouts: if chance(random, 0.1) { 0.02 + 0.06 * random.unit() } else { 0.0 },
            slips: if chance(random, 0.15) { 0.01 + 0.03 * random.unit() } else { 0.0 },
            a_line_each: chance(random, 0.05),
            swaps,
        }
    }

    /// Returns the text as this persona writes it; `random` decides about occasional habits.
    pub(crate) fn write(&self, text: &str, random: &mut SplitMix) -> String {
        let mut out = String::with_capacity(text.len() + text.len() / 8);
        let swapped = self.swapped(text);
        let mut start = true;
        for (at, sentence) in sentences(&swapped) {
            if start && at > 0 && self.a_line_each {
                out.push('\n');
            }
            self.sentence(sentence, random, &mut out);
            start = true;
        }
        match self.casing {
            Casing::Lower => out.to_lowercase(),
            _ => out,
        }
    }

    fn sentence(&self, sentence: &str, random: &mut SplitMix, out: &mut String) {
        let body = sentence.trim_end();
        let (body, stop) = match body.strip_suffix('.').filter(|body| !body.ends_with('.')) {
            Some(body) => (body, true),
            None => (body, false),
        };
        let from = out.len();
        if let Some((opener, share)) = self.opener
            && chance(random, share)
        {
            out.push_str(opener);
        }
        for (n, word) in body.split(' ').enumerate() {
            if n > 0 {
                out.push(' ');
            }
            self.word(word, random, out);
        }
        match self.casing {
            Casing::LowerStarts => lower_first(out, from),
            Casing::LowerI => {
                let made = out.split_off(from);
                out.push_str(&made.replace(" I ", " i ").replace(" I'", " i'"));
            }
            Casing::AsIs | Casing::Lower => {}
        }
        if let Some((closer, share)) = self.closer
            && chance(random, share)
        {
            out.push_str(closer);
        }
        let changed = self.ending.filter(|(_, share)| stop && chance(random, *share));
        match changed {
            Some((ending, _)) => {
                out.push_str(ending);
                out.push_str(&self.full_stop[1..]);
            }
            None if stop => out.push_str(self.full_stop),
            None => out.push(' '),
        }
    }

    fn word(&self, word: &str, random: &mut SplitMix, out: &mut String) {
        if word == "-" || word == "--" || word == "\u{2014}" || word == "\u{2013}" {
            out.push_str(self.dash.map_or(word, str::trim));
            return;
        }
        let shouted = self.shouts > 0.0 && word.len() > 3 && chance(random, self.shouts);
        let slips = self.slips > 0.0 && word.len() > 4 && chance(random, self.slips * 3.0);
        let slip_at = if slips { 1 + random.next() as usize % (word.len() - 2) } else { usize::MAX };
        let mut held = None;
        for (at, c) in word.chars().enumerate() {
            match c {
                ',' if self.drops_commas > 0.0 && chance(random, self.drops_commas) => continue,
                ',' | ';' | ':' | '!' | '?' if self.blank_before_marks => out.push(' '),
                '\'' | '\u{2019}' if self.drops_apostrophes => continue,
                '\'' | '\u{2019}' => {
                    out.push(if self.curly { '\u{2019}' } else { '\'' });
                    continue;
                }
                '"' | '\u{201c}' | '\u{201d}' => {
                    let open = if at == 0 { '\u{201c}' } else { '\u{201d}' };
                    out.push(if self.curly { open } else { '"' });
                    continue;
                }
                '\u{2014}' => {
                    out.push_str(self.dash.unwrap_or("\u{2014}"));
                    continue;
                }
                _ => {}
            }
            // Swaps two letters.
            if at == slip_at && c.is_lowercase() {
                held = Some(c);
                continue;
            }
            if shouted {
                out.extend(c.to_uppercase())
            } else {
                out.push(c)
            }
            out.extend(held.take());
        }
        out.extend(held);
    }

    /// Replaces the words of every pair by the preferred ones.
    fn swapped(&self, text: &str) -> String {
        let mut words: Vec<String> = Vec::new();
        for word in text.split(' ') {
            words.push(word.to_owned());
            // Each side of a pair has at most two words. Punctuation after the last word is
            // ignored.
            for length in [2, 1] {
                let Some(from) = words.len().checked_sub(length) else { continue };
                let joined = words[from..].join(" ");
                let bare = joined.trim_end_matches([',', '.', ';', ':', '!', '?', ')', '"']);
                let lower = bare.to_lowercase().replace('\u{2019}', "'");
                let Some((_, new)) = self.swaps.iter().find(|(old, _)| *old == lower) else { continue };
                let capital = bare.chars().next().is_some_and(char::is_uppercase);
                let mut made = if capital { capitalised(new) } else { (*new).to_owned() };
                made.push_str(&joined[bare.len()..]);
                words.truncate(from);
                words.push(made);
                break;
            }
        }
        words.join(" ")
    }
}

fn chance(random: &mut SplitMix, share: f64) -> bool {
    random.unit() < share
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn lower_first(text: &mut String, from: usize) {
    let rest = text.split_off(from);
    let mut chars = rest.chars();
    if let Some(first) = chars.next() {
        text.extend(first.to_lowercase());
    }
    text.push_str(chars.as_str());
}

/// Returns the ranges of sentences, which end at a mark before a space.
fn sentences(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let mut ended = false;
        let mut length = rest.len();
        for (place, c) in rest.char_indices() {
            if ended && c.is_whitespace() {
                length = place + c.len_utf8();
                break;
            }
            ended = matches!(c, '.' | '!' | '?') || (ended && matches!(c, '"' | ')' | '\'' | '\u{201d}'));
        }
        let sentence = (at, &rest[..length]);
        at += length;
        Some(sentence)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> Persona {
        Persona {
            swaps: vec![],
            casing: Casing::AsIs,
            full_stop: ". ",
            ending: None,
            drops_commas: 0.0,
            drops_apostrophes: false,
            curly: false,
            dash: None,
            blank_before_marks: false,
            opener: None,
            closer: None,
            shouts: 0.0,
            slips: 0.0,
            a_line_each: false,
        }
    }

    const TEXT: &str = "However, I do not think so. You are right, and it was \"late\"! Is the color grey?";

    #[test]
    fn a_persona_without_habits_changes_nothing() {
        let mut random = SplitMix::named(1, "", &[]);
        assert_eq!(plain().write(TEXT, &mut random).trim_end(), TEXT);
    }

    #[test]
    fn each_habit_changes_the_text() {
        let mut random = SplitMix::named(1, "", &[]);
        let swaps = vec![("however", "but"), ("do not", "don't"), ("color", "colour"), ("grey", "gray")];
        let written = Persona { swaps, curly: true, full_stop: ".  ", ..plain() }.write(TEXT, &mut random);
        assert_eq!(
            written.trim_end(),
            "But, I don\u{2019}t think so.  You are right, and it was \u{201c}late\u{201d}! Is the colour gray?"
        );
        let written =
            Persona { casing: Casing::Lower, drops_commas: 1.0, ..plain() }.write(TEXT, &mut random);
        assert_eq!(
            written.trim_end(),
            "however i do not think so. you are right and it was \"late\"! is the color grey?"
        );
        let written = Persona { ending: Some(("...", 1.0)), closer: Some((" lol", 1.0)), ..plain() }
            .write("No. It is.", &mut random);
        assert_eq!(written.trim_end(), "No lol... It is lol...");
    }

    #[test]
    fn personas_are_reproducible_and_never_panic() {
        for seed in 0..200 {
            let write = |text: &str| {
                let mut random = SplitMix::named(seed, "persona", &[]);
                let persona = Persona::draw(&mut random);
                persona.write(text, &mut random)
            };
            assert_eq!(write(TEXT), write(TEXT));
            for text in
                ["", " ", "...", "a", "\u{2014} \u{1f600}\u{1f600}éééé .", "I'm —ok—, can’t\n\n\"x\" ' , ,"]
            {
                write(text);
            }
        }
    }
}
