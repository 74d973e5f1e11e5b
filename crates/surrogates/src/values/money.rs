//! Amounts of money, and numbers that are not sensitive.

use super::dates::ordinal;
use crate::generator::Generator;
use crate::lists::List;
use crate::numbers::in_words;
use crate::shape::{MoneyForm, MoneyToken, Slot};

impl Generator {
    pub(crate) fn amount(&mut self) -> String {
        let lists = self.lists.clone();
        let Some(currency) = self.dice.pick_common(lists.of(List::Currencies)) else { return String::new() };
        let (name, code, symbol) = (&currency.text, currency.column(0), currency.column(1));
        let dollars = self.dice.one_of(&["$", "$", "$", "€", "£"]);
        let number = self.figure();
        let unit =
            self.dice.one_of(&["dollars", "euros", "pounds", "USD", "bucks", "rupees", "yen", "francs"]);
        match self.dice.below(24) {
            0..7 => format!("{dollars}{number}"),
            7..9 => format!("{symbol}{number}"),
            9 => format!("{symbol} {number}"),
            10 => format!("{number}{symbol}"),
            11 => format!("{number} {symbol}"),
            12..14 => format!("{number} {code}"),
            14 => format!("{code} {number}"),
            15 => format!("{code}{number}"),
            16..18 => format!("{number} {unit}"),
            18 => format!("{number} {name}s"),
            19 => format!(
                "{dollars}{}{}",
                self.dice.fill("%.#"),
                self.dice.one_of(&[" million", "M", " billion", "bn", "m"])
            ),
            20 => format!("{dollars}{}{}", self.dice.fill("%#"), self.dice.one_of(&["k", "K", ",000"])),
            21 => format!(
                "{} {} dollars",
                in_words(self.dice.between(2, 99)),
                self.dice.one_of(&["hundred", "thousand", "million"])
            ),
            22 => format!("US{dollars}{number}"),
            _ => self.dice.fill_one(&[
                "%#.%#¢",
                "%# cents",
                "-$%##.##",
                "%##,- EUR",
                "€%#.###,##",
                "%.###,## €",
            ]),
        }
    }

    pub(crate) fn currency(&mut self) -> String {
        match self.dice.below(6) {
            0 => self
                .dice
                .one_of(&[
                    "dollar", "euro", "pound", "yen", "rupee", "peso", "franc", "krona", "lira", "rand",
                    "won",
                ])
                .to_owned(),
            1 => {
                let lists = self.lists.clone();
                self.dice
                    .pick(lists.of(List::Currencies))
                    .map_or_else(String::new, |row| row.column(1).to_owned())
            }
            _ => self.entry(List::Currencies),
        }
    }

    pub(crate) fn currency_code(&mut self) -> String {
        let lists = self.lists.clone();
        self.dice.pick(lists.of(List::Currencies)).map_or_else(String::new, |row| row.column(0).to_owned())
    }

    /// Draws an amount in the same notation, or a currency.
    pub(crate) fn money_like(&mut self, form: &MoneyForm) -> String {
        let tokens = match form {
            MoneyForm::Figure(tokens) => tokens,
            MoneyForm::InWords => {
                let number = in_words(self.dice.between(2, 9));
                return format!("{number} {} dollars", self.dice.one_of(&["hundred", "thousand", "million"]));
            }
            MoneyForm::Code => return self.currency_code(),
            MoneyForm::Currency(casing) => return casing.apply(self.entry(List::Currencies)),
        };
        let token = |token: &MoneyToken| match token {
            MoneyToken::Lead => self.dice.fill("%"),
            MoneyToken::Slot(Slot::Sign(sign)) => sign.to_string(),
            MoneyToken::Slot(_) => self.dice.fill("#"),
            MoneyToken::Known(word) => (*word).to_owned(),
            MoneyToken::Code => self.currency_code(),
        };
        tokens.iter().map(token).collect()
    }

    /// Draws a number that is not sensitive.
    pub(crate) fn number(&mut self) -> String {
        match self.dice.below(10) {
            0..3 => self.dice.fill_one(&["%", "%#", "%##"]),
            3 => self.figure(),
            4 => self.dice.fill("0.##"),
            5 => format!("{}%", self.dice.fill_one(&["%", "%#", "%.#", "100", "0.#"])),
            6 => in_words(self.dice.between(2, 99)),
            7 => ordinal(self.dice.between(1, 40)),
            8 => self.dice.fill("%/1#"),
            _ => self.dice.fill_one(&["%###", "%##,###", "%#.##", "-%#", "%e-#"]),
        }
    }

    pub(crate) fn quantity(&mut self) -> String {
        const UNITS: &[&str] = &[
            "units",
            "boxes",
            "pallets",
            "hours",
            "minutes",
            "days",
            "weeks",
            "miles",
            "km",
            "metres",
            "m²",
            "litres",
            "ml",
            "kg",
            "g",
            "tonnes",
            "GB",
            "MB",
            "TB",
            "pages",
            "copies",
            "items",
            "tickets",
            "pieces",
            "degrees",
            "°C",
            "kW",
            "kWh",
            "volts",
            "Hz",
            "MHz",
            "rpm",
            "percent",
            "points",
            "votes",
            "seats",
            "rooms",
            "steps",
            "cups",
            "tablespoons",
        ];
        let number = self.dice.fill_one(&["%", "%#", "%#", "%##", "%.#", "%,###"]);
        format!("{number} {}", self.dice.one_of(UNITS))
    }

    /// Draws a code of a product, standard or room, which identifies no person.
    pub(crate) fn code_word(&mut self) -> String {
        self.dice.fill_one(&[
            "ISO 9###",
            "ISO %####",
            "RFC %###",
            "HTTP %##",
            "A4",
            "B%",
            "M%#",
            "USB-C",
            "WD-40",
            "DDR%",
            "IPv4",
            "SHA-256",
            "UTF-8",
            "MP%",
            "H.26%",
            "CO2",
            "PM2.5",
            "Q%",
            "T%",
            "G%#",
            "Section %.#",
            "Table %",
            "Figure %",
            "Chapter %#",
            "Gate @%",
            "Platform %",
            "Route %#",
            "Highway %#",
            "I-%#",
            "Flight ^##",
            "Phase %",
            "Grade %",
            "error %##",
            "0x~~~~",
            "EN %###",
            "DIN %###",
            "IEC 6####",
            "Type @",
            "Model @%",
            "Windows 1%",
            "Python 3.1%",
            "Form %#-@",
            "W-%",
            "401(k)",
            "24/7",
            "3D",
            "5G",
            "4K",
            "COVID-19",
            "B12",
            "F-1%",
            "Boeing 7%7",
        ])
    }

    pub(crate) fn version(&mut self) -> String {
        self.dice.fill_one(&[
            "%.#",
            "%.#.#",
            "%.#.##",
            "v%.#",
            "v%.#.#",
            "%#.##.#",
            "v%",
            "%.#.#-beta",
            "%.#.#-rc%",
            "%.#.%##",
            "20##.%",
            "r%###",
            "build %###",
            "%.x",
            "v%.#.#+build.%#",
        ])
    }

    fn figure(&mut self) -> String {
        self.dice.fill_one(&[
            "%",
            "%#",
            "%##",
            "%##.##",
            "%,###",
            "%,###.##",
            "%#,###",
            "%#,###.##",
            "%##,###",
            "%##,###.##",
            "%,###,###",
            "%#.##",
            "%###",
            "%####",
            "%#####",
            "%####.##",
            "%.##",
            "0.##",
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::MoneyForm;
    use crate::testing::generator;

    #[test]
    fn surrogates_keep_their_notation() {
        let mut generator = generator(2);
        for text in
            ["$1,204.50", "1 204,50 €", "US$ 5.2 million", "ZMW 500", "CHF", "five hundred dollars", "9k"]
        {
            let form = MoneyForm::of(text);
            for _ in 0..50 {
                let money = generator.money_like(&form);
                assert_eq!(
                    money.contains(|c: char| c.is_ascii_digit()),
                    text.contains(|c: char| c.is_ascii_digit())
                );
                assert!(text.contains("ZMW") || MoneyForm::of(&money) == form, "{text}: {money}");
            }
        }
    }

    #[test]
    fn amounts_are_filled_in() {
        let mut generator = generator(1);
        for _ in 0..1000 {
            for text in [
                generator.amount(),
                generator.quantity(),
                generator.version(),
                generator.code_word(),
                generator.number(),
            ] {
                assert!(!text.contains(['#', '@', '^']) && !text.is_empty(), "{text}");
            }
        }
    }
}
