//! The placeholders of training templates, and what each draws.

use inkveil_detect::Kind;

use crate::generator::{Generator, ValuePart};
use crate::lists::List;

macro_rules! placeholders {
    ($($name:literal $kind:ident $draw:expr;)*) => {
        impl Generator {
            /// All placeholders, without braces.
            pub const PLACEHOLDERS: &'static [&'static str] = &[$($name),*, "address"];

            /// Draws a value for a placeholder such as `{name}`, with or without braces. Returns `None` for an
            /// unknown placeholder.
            pub fn value(&mut self, placeholder: &str) -> Option<Vec<ValuePart>> {
                let name = placeholder.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
                let draw: (Option<Kind>, fn(&mut Generator) -> String) = match name.unwrap_or(placeholder) {
                    $($name => (kind!($kind), $draw),)*
                    "address" => return Some(self.address()),
                    _ => return None,
                };
                Some(vec![ValuePart { text: draw.1(self), kind: draw.0 }])
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
    "name" Person Generator::name;
    "first" Person Generator::first;
    "last" Person Generator::last;
    "full_formal" Person Generator::full_formal;
    "title" Title |generator| generator.common_entry(List::Titles);
    "username" Username Generator::username;
    "handle" Username |generator| format!("@{}", generator.username());
    "job" Job Generator::job;
    "job_area" Job Generator::job_area;
    "gender" Trait |generator| generator.common_entry(List::Genders);
    "height" Trait Generator::height;
    "weight" Trait Generator::weight;
    "eye_colour" Trait |generator| generator.entry(List::EyeColours);
    "origin" Trait Generator::origin;
    "religion" Trait |generator| generator.entry(List::Religions);
    "blood_type" Trait Generator::blood_type;
    "marital" Trait |generator| generator.entry(List::Marital);
    "age" Age Generator::age;
    "company" Organisation Generator::company;
    "hospital" Organisation Generator::hospital;
    "school" Organisation Generator::school;
    "agency" Organisation Generator::agency;
    "card_issuer" Organisation |generator| generator.entry(List::CardIssuers);
    "city" Location Generator::city;
    "state" Location Generator::state;
    "county" Location Generator::county;
    "country" Location |generator| generator.entry(List::Countries);
    "place" Location Generator::place;
    "street" Address Generator::street;
    "street_name" Address Generator::street_name;
    "building" Address Generator::building;
    "unit" Address Generator::unit;
    "zip" PostalCode Generator::zip;
    "gps" Coordinates Generator::gps;
    "date" Date Generator::date;
    "dob" Date Generator::dob;
    "month" Date Generator::month;
    "weekday" Date Generator::weekday;
    "year" Date Generator::year;
    "time" Time Generator::time;
    "email" Email Generator::email;
    "phone" Phone Generator::phone;
    "url" Url Generator::url;
    "domain" Url Generator::domain;
    "ip" IpAddress Generator::ip;
    "ipv6" IpAddress Generator::ipv6;
    "mac" MacAddress Generator::mac;
    "imei" Imei Generator::imei;
    "user_agent" UserAgent Generator::user_agent;
    "card" CreditCard Generator::card;
    "cvv" CardCode Generator::cvv;
    "pin" CardCode Generator::pin;
    "expiry" CardCode Generator::expiry;
    "iban" Iban Generator::iban;
    "bic" BankCode Generator::bic;
    "routing" BankCode Generator::routing;
    "sort_code" BankCode Generator::sort_code;
    "account" BankAccount Generator::account;
    "account_name" BankAccount Generator::account_name;
    "amount" Money Generator::amount;
    "currency" Money Generator::currency;
    "currency_code" Money Generator::currency_code;
    "crypto" Crypto Generator::crypto;
    "ssn" NationalId Generator::ssn;
    "national_id" NationalId Generator::national_id;
    "tax_id" NationalId Generator::tax_id;
    "passport" Passport Generator::passport;
    "licence" DriverLicence Generator::licence;
    "plate" Plate Generator::plate;
    "vin" Vin Generator::vin;
    "mrn" MedicalRecord Generator::mrn;
    "id" Id Generator::id;
    "order" Id Generator::order;
    "employee_id" Id Generator::employee_id;
    "serial" Id Generator::serial;
    "password" Password Generator::password;
    "api_key" Secret Generator::api_key;
    "disease" Health |generator| generator.entry(List::Diseases);
    "drug" Medication |generator| generator.entry(List::Drugs);
    "number" Plain Generator::number;
    "quantity" Plain Generator::quantity;
    "code_word" Plain Generator::code_word;
    "version" Plain Generator::version;
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};
    use std::fs;
    use std::sync::Arc;

    use super::*;
    use crate::testing::{generator, our_lists, words};

    /// Returns the placeholders of the table in the training notes of inkveil-detect, each with the kinds
    /// in its row.
    fn documented() -> Vec<(String, String)> {
        let readme =
            fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../detect/train/README.md")).unwrap();
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
    fn the_documentation_lists_all_placeholders() {
        let documented: BTreeSet<String> = documented().into_iter().map(|(name, _)| name).collect();
        let known: BTreeSet<String> = Generator::PLACEHOLDERS.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(documented, known);
    }

    #[test]
    fn values_have_the_documented_kinds() {
        let mut generator = generator(1);
        for (name, kinds) in documented() {
            let parts = generator.value(&format!("{{{name}}}")).unwrap();
            let drawn: Vec<&str> =
                parts.iter().filter_map(|part| part.kind.as_ref().map(Kind::name)).collect();
            match kinds.as_str() {
                "none" => assert!(drawn.is_empty(), "{name}"),
                "as named" => assert!(!drawn.is_empty(), "{name}"),
                kinds => assert!(kinds.split(", ").any(|kind| drawn.contains(&kind)), "{name}: {drawn:?}"),
            }
        }
    }

    #[test]
    fn values_are_neither_empty_nor_padded() {
        for (held_out, seed) in [(false, 2), (true, 3)] {
            let lists = Arc::new(our_lists().split(held_out));
            let mut generator = Generator::new(lists, words(seed));
            for name in Generator::PLACEHOLDERS {
                for _ in 0..100 {
                    let parts = generator.value(name).unwrap();
                    assert!(!parts.is_empty());
                    for part in parts {
                        assert!(!part.text.is_empty(), "{name}");
                        assert!(
                            part.kind.is_none() || part.text == part.text.trim(),
                            "{name}: {}",
                            part.text
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_same_random_words_give_the_same_values() {
        let draw = |seed| -> Vec<String> {
            let mut generator = generator(seed);
            let values = Generator::PLACEHOLDERS.iter().flat_map(|name| generator.value(name).unwrap());
            values.map(|part| part.text).collect()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn formats_vary() {
        let mut generator = generator(5);
        for (name, least) in
            [("date", 30), ("id", 40), ("username", 20), ("address", 60), ("amount", 40), ("plate", 25)]
        {
            let shapes: HashSet<String> = (0..1000)
                .map(|_| {
                    let text: String =
                        generator.value(name).unwrap().into_iter().map(|part| part.text).collect();
                    shape(&text)
                })
                .collect();
            assert!(shapes.len() >= least, "{name}: {}", shapes.len());
        }
    }

    /// Returns the text with every run of letters as one letter and every run of digits as one digit.
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
