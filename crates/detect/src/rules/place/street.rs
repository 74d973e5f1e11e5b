//! Street addresses and their parts.

use std::ops::Range;

use super::suffix::suffixed_street;
use crate::kind::Kind;
use crate::rules::letters::{is_listed, is_word_char};
use crate::rules::rule::{Edges, Rule, Trigger, Verdict};

/// Words at the end of English street names, in full and abbreviated.
const TYPES: &str = "\
    street|avenue|boulevard|terrace|crescent|parkway|highway|causeway|esplanade|expressway|turnpike|mews\
    |road|lane|drive|court|place|square|close|way|row|walk|circle|trail|path|alley|plaza|gardens?|grove|hill|park|green\
    |view|heights|ridge|loop|bend|run|crossing|point|gate|quay|wharf|rise|vale|mall|pike|route|bypass|junctions?\
    |harbors?|villages?|valleys?|ports?|shores?|meadows?|forges?|fords?|fields?|falls|estates?|keys?|knolls?|manors?\
    |mills?|orchard|oval|parks|pines|plains|springs?|summit|trace|track|vista|wells?|mount|mountains?|islands?|isle\
    |lodge|glens?|fort|ferry|drives|cove|corners?|common|brooks?";
const SHORT_TYPES: &str = "st|ave|av|blvd|rd|dr|ln|ct|pl|ter|pkwy|hwy|cir|sq|cres|trl|plz";

/// Words at the start of French street names, and particles after them.
const FRENCH_TYPES: &str = "\
    rue|avenue|av\\.|boulevard|bd\\.?|place|chemin|allée|allee|impasse|quai|route|cours|passage\
    |square|ruelle|sentier|faubourg|via|viale|piazza|corso|largo|vicolo";
const FRENCH_JOINT: &str = "(?:(?:de la|du|des|de|la|le|les|della|dei|del) |(?:de )?l'|d')";

/// Words at the start of Spanish, Portuguese, Italian and Slavic street names, which have the number last.
const FIRST_WORDS: &[&str] = &[
    "calle",
    "avenida",
    "plaza",
    "paseo",
    "carrera",
    "camino",
    "rua",
    "travessa",
    "praça",
    "via",
    "viale",
    "piazza",
    "corso",
    "largo",
    "vicolo",
    "ulica",
    "ul",
    "ulitsa",
    "carrer",
    "c",
    "avda",
    "alameda",
    "estrada",
    "beco",
    "ronda",
    "travesía",
    "carretera",
    "strada",
    "contrada",
    "lungotevere",
];
const FIRST_TYPES: &str = "\
    calle|avenida|plaza|paseo|carrera|camino|rua|travessa|praça|via|viale|piazza|corso|largo|vicolo\
    |ulica|ulitsa|carrer|alameda|estrada|beco|ronda|travesía|carretera|strada|contrada|lungotevere";
const FIRST_JOINT: &str = "(?:de la|de los|de las|del|de|da|do|dos|das|della|dei|la|las|los) ";

/// A number with an optional letter, or a letter with a number.
const UNIT: &str = "(?:[0-9]{1,5}[A-Za-z]?(?:[/-][0-9A-Za-z]{1,4})?|[A-Za-z]-?[0-9]{1,4})";
/// The text between the word for a unit and its number.
const NO: &str = r"(?:\.? ?(?:no\.? ?|number |#)|\. ?| )";

pub(super) fn rules() -> Vec<Rule> {
    let address = |name: &'static str, about: &'static str, score: f32| {
        Rule::new(name, Kind::Address, about, score).edges(Edges::Word)
    };
    let house = "[0-9]{1,6}[A-Za-z]?(?:[-/][0-9]{1,5}[A-Za-z]?)?";
    let word = "[0-9A-Za-zÀ-ÿ][A-Za-zÀ-ÿ'-]{0,19}";
    let direction = "(?i:n|s|e|w|ne|nw|se|sw|north|south|east|west)";
    let kind = format!(r"(?:(?i:{TYPES})|(?i:{SHORT_TYPES})\.?)");
    let french_word = "[A-Za-zÀ-ÿ0-9][A-Za-zÀ-ÿ'-]{1,20}";
    let french_name = format!("{french_word}(?: {french_word}){{0,3}}");
    let first_word = "[A-Za-zÀ-ÿĀ-ž][A-Za-zÀ-ÿĀ-ž'.-]{1,20}";
    let first_name = format!("{first_word}(?: {first_word}){{0,3}}");
    let first = format!(r"(?:(?:{FIRST_TYPES}) |avda\. ?|ul\. ?|c/ ?)(?:{FIRST_JOINT})?");
    vec![
        address("street-number-first", "A house number and a street, as in English.", 0.5)
            .shape(format!(r"{house},? (?:{direction}\.? )?(?:{word}\.? ){{1,4}}{kind}(?: {direction}\.?)?"))
            .checked("capitals", english_street, 0.87),
        address("street-french", "A house number and a street, as in French.", 0.8)
            .shape(format!(
                "(?i)[0-9]{{1,4}}(?: ?(?:bis|ter|quater))?,? (?:{FRENCH_TYPES}) (?:{FRENCH_JOINT})?{french_name}"
            ))
            .checked("name", french_street, 0.85),
        address("street-number-last", "A street with its number last, as in Spanish or Italian.", 0.8)
            .shape_at(
                FIRST_WORDS,
                format!(r"(?i){first}{first_name},? (?:n\.?[º°o]?\.? ?|nr\.? |#)?[0-9]{{1,4}}[A-Za-z]?"),
            )
            .filtered(number_last),
        address("street-suffix", "A street whose name ends in its type, as in German or Dutch.", 0.85)
            .parsed(Trigger::WordBeforeNumber, suffixed_street),
        address("street-name", "A street without a house number.", 0.6)
            .parsed(Trigger::Words(STREET_WORDS), street_name),
        address("address-unit", "A flat or suite by its number.", 0.75).shape_at(
            &["apt", "apartment", "suite", "ste", "flat", "unit", "appt", "wohnung", "piso", "penthouse"],
            format!("(?i)(?:apt|apartment|appt|suite|ste|flat|unit|wohnung|piso|penthouse){NO}{UNIT}"),
        ),
        address("address-room", "A floor, building or room by its number.", 0.35)
            .shape_at(
                &["floor", "building", "bldg", "room", "rm", "block", "house", "level", "lot", "tower"],
                format!("(?i)(?:floor|building|bldg|room|rm|block|house|level|lot|tower){NO}{UNIT}"),
            )
            .near(
                ["street", "avenue", "road", "address", "apartment", "flat", "lane", "live", "lives", "suite"],
                0.7,
            ),
        address("po-box", "A post office box.", 0.9).shape_at(
            &["p", "po", "post", "postfach", "postbus", "apartado", "pobox", "gpo"],
            concat!(
                r"(?i)(?:p\.? ?o\.? ?box|post (?:office )?box|pobox|gpo box|postfach|postbus|apartado(?: de correos)?)",
                r"(?: (?:no\.?|number|#))? ?#?[0-9]{1,7}(?: [0-9]{2,3}){0,2}",
            ),
        ),
    ]
}

/// Words that show a quantity, a time or a sentence instead of an address.
const NOT_STREETS: &str = "\
    the in of on at to and or a an for from with people hour hours minute minutes mile miles day days \
    wheel man way per by is are was were that this year years times percent km kilometers metres meters feet foot lane \
    block blocks cars houses am pm down up every you we they he she it i my your his her their our no not into off out \
    along across through as than then have has had will would can could long best more most other million thousand \
    hundred men women children";

/// Types that are rarely used for anything but streets, and those that may be in lower case.
const STRONG: &str = "\
    street avenue boulevard terrace crescent parkway highway road lane drive st ave blvd rd ln dr court \
    place square close mews pkwy hwy ct pl sq";
const STRONGEST: &str =
    "street avenue boulevard terrace crescent parkway highway road lane drive st ave blvd rd";

fn english_street(text: &str) -> Verdict {
    let words: Vec<&str> = text.split(' ').map(|word| word.trim_matches(['.', ','])).skip(1).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let (Some((_, names)), Some((last, lower_names))) = (words.split_last(), lower.split_last()) else {
        return Verdict::Invalid;
    };
    if !names.iter().any(|word| word.chars().any(char::is_alphabetic)) {
        return Verdict::Invalid;
    }
    let capital = |word: &str| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let minor = |word: &str| is_listed("of the de la and van del los", word);
    let among = |list: &str, words: &[String]| words.iter().any(|word| is_listed(list, word));
    if capital(names[0]) && words.iter().all(|word| capital(word) || minor(word)) {
        return match (among("hour minute mile day people", lower_names), among(STRONG, &lower)) {
            (true, _) => Verdict::Invalid,
            (false, true) => Verdict::Valid,
            (false, false) => Verdict::Unsure,
        };
    }
    // In lower case, as in chats: only a short name without function words.
    let plain = !text.chars().any(char::is_uppercase);
    let short = names.len() <= 2 && !among(NOT_STREETS, lower_names);
    if plain && short && is_listed(STRONGEST, last) { Verdict::Unsure } else { Verdict::Invalid }
}

/// Requires a capitalised last word, or a short text in lower case: `3 place de parking` is not a street.
fn french_street(text: &str) -> Verdict {
    let name = text.split(' ').next_back().is_some_and(|word| word.contains(char::is_uppercase));
    let plain = !text.chars().any(char::is_uppercase);
    if name {
        Verdict::Valid
    } else if plain && text.contains(" rue ") && text.split(' ').count() <= 5 {
        Verdict::Unsure
    } else {
        Verdict::Invalid
    }
}

/// Requires a capitalised or short name: `via their shuttle at 12` is not a street.
fn number_last(text: &str) -> Verdict {
    let words: Vec<&str> = text.split(' ').collect();
    let names = words.get(1..words.len() - 1).unwrap_or_default();
    // "n.º" and "nr." belong to the number.
    let is_sign =
        |word: &&&str| matches!(word.to_lowercase().trim_end_matches(['.', 'º', '°']), "n" | "no" | "nr");
    let name = names.iter().rev().find(|word| !is_sign(word));
    let capital = name.is_some_and(|name| name.starts_with(char::is_uppercase));
    let plain = is_listed("calle avenida rua viale piazza ulica", words[0]);
    if capital || (plain && names.len() <= 3) { Verdict::Unsure } else { Verdict::Invalid }
}

const STREET_WORDS: &[&str] = &[
    "street",
    "avenue",
    "boulevard",
    "road",
    "lane",
    "drive",
    "parkway",
    "terrace",
    "crescent",
    "mews",
    "ave",
    "blvd",
    "rd",
];

/// Words that start a sentence and not the name of a street.
const NOT_NAMES: &str = "The In On At A My Our This That And";

/// Finds capitalised words before a street type: `Maple Street`, `Martin Luther King Boulevard`.
fn street_name(text: &str, start: usize, found: &mut Vec<Range<usize>>) {
    let rest = &text[start..];
    let end = start + rest.find(|c: char| !is_word_char(c)).unwrap_or(rest.len());
    if !rest.starts_with(char::is_uppercase) {
        return;
    }
    let mut begin = start;
    for _ in 0..3 {
        let Some(before) = text[..begin].strip_suffix(' ') else { break };
        let in_name = |c: &char| is_word_char(*c) || *c == '\'';
        let length: usize = before.chars().rev().take(20).take_while(in_name).map(char::len_utf8).sum();
        let name = &before[before.len() - length..];
        let capital = name.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
        if !capital || is_listed(NOT_NAMES, name) {
            break;
        }
        begin = before.len() - length;
        // The address starts at a number.
        if name.bytes().all(|b| b.is_ascii_digit()) {
            break;
        }
    }
    if begin < start {
        found.push(begin..end);
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores, score};

    #[test]
    fn english() {
        finds(
            "street-number-first",
            &[
                "at [[221B Baker Street]].",
                "[[1600 Pennsylvania Avenue NW]]",
                "[[42 N. Elm St.]], Springfield",
                "[[7 Martin Luther King Jr Blvd]]",
                "lives at [[12 maple street]] now",
                "[[350 5th Ave]]",
                "[[10-12 High Road]],",
                "[[99 Acacia Close]]",
            ],
        );
        ignores(
            "street-number-first",
            &[
                "12 people in the street",
                "a 2 way street",
                "20 minute drive",
                "3 men on the road",
                "5 Street",
                "Street 5",
                "12 of the best in the court",
            ],
        );
        assert!(
            score("street-number-first", "12 Elm Street") > score("street-number-first", "12 elm street")
        );
        finds(
            "street-name",
            &[
                "on [[Maple Street]].",
                "[[Martin Luther King Boulevard]]",
                "off [[Abbey Road]],",
                "The [[Kings Road]]",
                "([[Ocean Drive]])",
            ],
        );
        ignores("street-name", &["the street", "On Street", "maple street", "a road", "Streets"]);
    }

    #[test]
    fn other_languages() {
        finds(
            "street-french",
            &[
                "[[12 rue de la Paix]]",
                "au [[5 bis, avenue Victor Hugo]],",
                "[[3 place du Tertre]]",
                "[[10 boulevard Saint-Michel]].",
                "[[8 quai des Grands Augustins]]",
            ],
        );
        ignores(
            "street-french",
            &["rue de la Paix", "12 rues", "3 place settings", "12 avenue", "2 cours de danse"],
        );
        finds(
            "street-number-last",
            &[
                "[[Calle Mayor 12]]",
                "en [[Calle de Alcalá, 50]]",
                "[[Via Roma 3]]",
                "[[Rua Augusta 100]].",
                "[[Rua do Carmo, n.º 12]]",
                "[[avenida de la constitución 7]]",
                "[[Alameda dos Oceanos 45]]",
            ],
        );
        ignores(
            "street-number-last",
            &[
                "calle",
                "via email at 12",
                "Calle Mayor",
                "12 Calle",
                "plaza 12",
                "Czech Republic beat Sweden 6",
            ],
        );
    }

    #[test]
    fn parts() {
        finds(
            "address-unit",
            &[
                "[[Apt. 4B]]",
                "[[Suite 771]],",
                "[[Flat 3]], London",
                "[[apt 12]]",
                "[[Unit #7]]",
                "[[apt. 4b]]",
            ],
        );
        ignores(
            "address-unit",
            &["flat tyre", "unit test", "a suite of rooms", "Apt", "flats 3", "laptop 4"],
        );
        finds(
            "address-room",
            &[
                "address: [[Building 7]]",
                "[[Floor 3]], 5 Elm Street",
                "lives in [[house 12]]",
                "flat, [[room 12B]]",
                "[[block C4]] on Hill Road",
            ],
        );
        ignores("address-room", &["room 12", "building", "a house", "level 5", "ballroom 3"]);
        finds(
            "po-box",
            &[
                "[[PO Box 123]]",
                "[[P.O. Box 99]],",
                "[[Postfach 10 11 12]]",
                "[[p.o. box 7]]",
                "[[Post Office Box 55]].",
                "[[Apartado 44]]",
            ],
        );
        ignores("po-box", &["box 12", "post box", "PO", "p.o. 12", "the box"]);
    }
}
