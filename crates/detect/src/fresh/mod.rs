//! Fresh values: a name, a date, a card number of the same kind and format as a real one, drawn independently of any text.
//!
//! The tagger learns from texts whose gaps are filled with them, and a veil puts them where something sensitive stood.
//! One function looks at a text, [`Shape::of`], and keeps its format alone; all else depends on the lists, the shape and
//! the random words.

mod address;
mod address_formats;
mod bank;
mod check_digits;
mod crypto;
mod dates;
mod dice;
mod ids;
mod internet;
mod lists;
mod machines;
mod money;
mod national_id;
mod organisation;
mod person;
mod phone;
mod places;
mod postal;
mod secret;
mod shape;
mod surrogate;
mod traits;
mod vehicle;

use std::sync::Arc;

pub use lists::{List, Lists, Row, is_held_out};
use person::Name;
pub use shape::Shape;
pub use surrogate::Surrogates;
use unicode_normalization::UnicodeNormalization;

use crate::Kind;
use dice::Dice;

/// A piece of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The text; never empty.
    pub text: String,
    /// What it holds; `None` for what merely stands between, and for values that are not sensitive.
    pub kind: Option<Kind>,
}

impl Piece {
    fn of(text: String, kind: Kind) -> Self {
        Piece { text, kind: Some(kind) }
    }

    fn plain(text: impl Into<String>) -> Self {
        Piece { text: text.into(), kind: None }
    }
}

/// Draws values by their placeholder.
///
/// The same lists and the same random words give the same values.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
///
/// use inkveil_detect::Kind;
/// use inkveil_detect::fresh::{Fresh, Lists};
///
/// let lists = Lists::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/train/lists")))?;
/// let mut counter = 0_u64;
/// let mut fresh = Fresh::new(Arc::new(lists), move || {
///     counter += 1;
///     counter.wrapping_mul(0x9e37_79b9_7f4a_7c15) // for an example; use a real generator
/// });
/// let pieces = fresh.value("{email}").unwrap_or_default();
/// assert!(pieces[0].text.contains('@'));
/// assert_eq!(pieces[0].kind, Some(Kind::Email));
/// assert!(fresh.value("{no such thing}").is_none());
/// # Ok::<(), inkveil_detect::Error>(())
/// ```
pub struct Fresh {
    lists: Arc<Lists>,
    dice: Dice,
}

/// After how many draws a value that is wanted is given up.
const TRIES: usize = 512;

impl Fresh {
    /// Draws from these lists with these random words, which must be uniform over 64 bits.
    pub fn new(lists: Arc<Lists>, words: impl FnMut() -> u64 + Send + 'static) -> Self {
        Fresh { lists, dice: Dice::new(words) }
    }

    /// Draws until a value is accepted, which leaves the distribution that the generator has among such values. `None`
    /// after many draws, for a generator that has none.
    fn until(
        &mut self,
        draw: impl Fn(&mut Fresh) -> String,
        accept: impl Fn(&str) -> bool,
    ) -> Option<String> {
        (0..TRIES).map(|_| draw(self)).find(|value| accept(value))
    }

    /// One of the entries, all equally likely.
    fn entry(&mut self, list: List) -> String {
        self.dice.pick(self.lists.of(list)).map_or_else(String::new, |row| row.text.clone())
    }

    /// One of the entries, those at the front of the list more often: their files begin with what is common.
    fn common_entry(&mut self, list: List) -> String {
        self.dice.pick_common(self.lists.of(list)).map_or_else(String::new, |row| row.text.clone())
    }
}

macro_rules! placeholders {
    ($($name:literal $kind:ident $draw:expr;)*) => {
        impl Fresh {
            /// Every placeholder there is, without its braces.
            pub const PLACEHOLDERS: &'static [&'static str] = &[$($name),*, "address"];

            /// A fresh value for a placeholder such as `{name}` (with or without braces); `None` if it is not known.
            pub fn value(&mut self, placeholder: &str) -> Option<Vec<Piece>> {
                let name = placeholder.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
                let draw: (Option<Kind>, fn(&mut Fresh) -> String) = match name.unwrap_or(placeholder) {
                    $($name => (kind!($kind), $draw),)*
                    "address" => return Some(self.address()),
                    _ => return None,
                };
                Some(vec![Piece { text: draw.1(self), kind: draw.0 }])
            }
        }
    };
}

macro_rules! kind {
    (Plain) => {
        None
    };
    ($kind:ident) => {
        Some(Kind::$kind)
    };
}

placeholders! {
    "name" Person Fresh::name;
    "first" Person Fresh::first;
    "last" Person Fresh::last;
    "full_formal" Person Fresh::full_formal;
    "title" Title |fresh| fresh.common_entry(List::Titles);
    "username" Username Fresh::username;
    "handle" Username |fresh| format!("@{}", fresh.username());
    "job" Job Fresh::job;
    "job_area" Job Fresh::job_area;
    "gender" Trait |fresh| fresh.common_entry(List::Genders);
    "height" Trait Fresh::height;
    "weight" Trait Fresh::weight;
    "eye_colour" Trait |fresh| fresh.entry(List::EyeColours);
    "origin" Trait Fresh::origin;
    "religion" Trait |fresh| fresh.entry(List::Religions);
    "blood_type" Trait Fresh::blood_type;
    "marital" Trait |fresh| fresh.entry(List::Marital);
    "age" Age Fresh::age;
    "company" Organisation Fresh::company;
    "hospital" Organisation Fresh::hospital;
    "school" Organisation Fresh::school;
    "agency" Organisation Fresh::agency;
    "card_issuer" Organisation |fresh| fresh.entry(List::CardIssuers);
    "city" Location Fresh::city;
    "state" Location Fresh::state;
    "county" Location Fresh::county;
    "country" Location |fresh| fresh.entry(List::Countries);
    "place" Location Fresh::place;
    "street" Address Fresh::street;
    "street_name" Address Fresh::street_name;
    "building" Address Fresh::building;
    "unit" Address Fresh::unit;
    "zip" PostalCode Fresh::zip;
    "gps" Coordinates Fresh::gps;
    "date" Date Fresh::date;
    "dob" Date Fresh::dob;
    "month" Date Fresh::month;
    "weekday" Date Fresh::weekday;
    "year" Date Fresh::year;
    "time" Time Fresh::time;
    "email" Email Fresh::email;
    "phone" Phone Fresh::phone;
    "url" Url Fresh::url;
    "domain" Url Fresh::domain;
    "ip" IpAddress Fresh::ip;
    "ipv6" IpAddress Fresh::ipv6;
    "mac" MacAddress Fresh::mac;
    "imei" Imei Fresh::imei;
    "user_agent" UserAgent Fresh::user_agent;
    "card" CreditCard Fresh::card;
    "cvv" CardCode Fresh::cvv;
    "pin" CardCode Fresh::pin;
    "expiry" CardCode Fresh::expiry;
    "iban" Iban Fresh::iban;
    "bic" BankCode Fresh::bic;
    "routing" BankCode Fresh::routing;
    "sort_code" BankCode Fresh::sort_code;
    "account" BankAccount Fresh::account;
    "account_name" BankAccount Fresh::account_name;
    "amount" Money Fresh::amount;
    "currency" Money Fresh::currency;
    "currency_code" Money Fresh::currency_code;
    "crypto" Crypto Fresh::crypto;
    "ssn" NationalId Fresh::ssn;
    "national_id" NationalId Fresh::national_id;
    "tax_id" NationalId Fresh::tax_id;
    "passport" Passport Fresh::passport;
    "licence" DriverLicence Fresh::licence;
    "plate" Plate Fresh::plate;
    "vin" Vin Fresh::vin;
    "mrn" MedicalRecord Fresh::mrn;
    "id" Id Fresh::id;
    "order" Id Fresh::order;
    "employee_id" Id Fresh::employee_id;
    "serial" Id Fresh::serial;
    "password" Password Fresh::password;
    "api_key" Secret Fresh::api_key;
    "disease" Health |fresh| fresh.entry(List::Diseases);
    "drug" Medication |fresh| fresh.entry(List::Drugs);
    "number" Plain Fresh::number;
    "quantity" Plain Fresh::quantity;
    "code_word" Plain Fresh::code_word;
    "version" Plain Fresh::version;
}

/// A word with a capital at its start.
fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Small letters and digits of ASCII only, as user names and hosts have them: "Åsa-Lena" is "asalena".
fn plain(text: &str) -> String {
    let letters: String = text
        .replace(['ß', 'ẞ'], "ss")
        .replace(['ø', 'Ø'], "o")
        .replace(['ł', 'Ł'], "l")
        .replace(['đ', 'Đ'], "d")
        .replace('ı', "i")
        .nfd()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    if letters.is_empty() { "user".to_owned() } else { letters.to_ascii_lowercase() }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};
    use std::fs;

    use super::*;

    pub(super) fn fresh(seed: u64) -> Fresh {
        Fresh::new(lists::tests::ours(), dice::tests::words(seed))
    }

    /// The placeholders of the table in train/README.md, each with the kinds its row names.
    fn documented() -> Vec<(String, String)> {
        let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/train/README.md")).unwrap();
        let rows = readme.lines().filter(|line| line.starts_with("| `{"));
        rows.flat_map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let kinds = cells[2].to_owned();
            let names: Vec<String> = cells[1]
                .split_whitespace()
                .map(|name| name.trim_matches(['`', '{', '}']).to_owned())
                .collect();
            names.into_iter().map(move |name| (name, kinds.clone()))
        })
        .collect()
    }

    #[test]
    fn every_documented_placeholder_is_known_and_every_known_one_documented() {
        let documented: BTreeSet<String> = documented().into_iter().map(|(name, _)| name).collect();
        let known: BTreeSet<String> = Fresh::PLACEHOLDERS.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(documented, known);
    }

    #[test]
    fn values_have_the_kind_that_the_table_names() {
        let mut fresh = fresh(1);
        for (name, kinds) in documented() {
            let pieces = fresh.value(&format!("{{{name}}}")).unwrap();
            let drawn: Vec<&str> =
                pieces.iter().filter_map(|piece| piece.kind.as_ref().map(Kind::name)).collect();
            match kinds.as_str() {
                "none" => assert!(drawn.is_empty(), "{name}"),
                "as named" => assert!(!drawn.is_empty(), "{name}"),
                kinds => assert!(kinds.split(", ").any(|kind| drawn.contains(&kind)), "{name}: {drawn:?}"),
            }
        }
    }

    #[test]
    fn no_value_is_empty_or_has_blanks_around_it() {
        for (held_out, seed) in [(false, 2), (true, 3)] {
            let lists = Arc::new(lists::tests::ours().split(held_out));
            let mut fresh = Fresh::new(lists, dice::tests::words(seed));
            for name in Fresh::PLACEHOLDERS {
                for _ in 0..100 {
                    let pieces = fresh.value(name).unwrap();
                    assert!(!pieces.is_empty());
                    for piece in pieces {
                        assert!(!piece.text.is_empty(), "{name}");
                        assert!(
                            piece.kind.is_none() || piece.text == piece.text.trim(),
                            "{name}: {}",
                            piece.text
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_same_words_give_the_same_values() {
        let draw = |seed| -> Vec<String> {
            let mut fresh = fresh(seed);
            let values = Fresh::PLACEHOLDERS.iter().flat_map(|name| fresh.value(name).unwrap());
            values.map(|piece| piece.text).collect()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn formats_vary() {
        let mut fresh = fresh(5);
        for (name, least) in
            [("date", 30), ("id", 40), ("username", 20), ("address", 60), ("amount", 40), ("plate", 25)]
        {
            let shapes: HashSet<String> = (0..1000)
                .map(|_| {
                    let text: String =
                        fresh.value(name).unwrap().into_iter().map(|piece| piece.text).collect();
                    shape(&text)
                })
                .collect();
            assert!(shapes.len() >= least, "{name}: {}", shapes.len());
        }
    }

    /// The text with every run of letters as one letter and every run of digits as one digit.
    fn shape(text: &str) -> String {
        let mut shape: Vec<char> = text
            .chars()
            .map(|c| {
                if c.is_alphabetic() {
                    'a'
                } else if c.is_numeric() {
                    '0'
                } else {
                    c
                }
            })
            .collect();
        shape.dedup();
        shape.into_iter().collect()
    }
}
