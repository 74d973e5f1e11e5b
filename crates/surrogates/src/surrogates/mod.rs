//! Drawing surrogates.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use inkveil_detect::Kind;
use inkveil_detect::special::GroupId;

use crate::error::Error;
use crate::generator::Generator;
use crate::lists::{List, Lists};
use crate::shape::{Form, Pattern, Shape};
use crate::speech::{self, Grammar, Speech};

/// Draws surrogates: values of the same kind and shape as a sensitive value.
///
/// A surrogate depends only on the shape, which includes the kind, and on the random words. Numbers have valid check digits,
/// and dates exist in the calendar. Surrogates do not reach real people or machines: e-mail and web
/// addresses use domains reserved for examples, and network addresses use ranges reserved for tests and
/// documentation. Telephone numbers come from the ranges that a country reserves for fiction, if it has
/// any.
///
/// ```
/// use std::path::Path;
///
/// use inkveil_detect::Kind;
/// use inkveil_surrogates::{Shape, ShapeLevel, Surrogates};
///
/// let pack = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/en"));
/// let surrogates = Surrogates::open(&pack.join(Surrogates::FILE))?;
/// let mut counter = 0_u64;
/// let words = move || {
///     counter += 1;
///     counter.wrapping_mul(0x9e37_79b9_7f4a_7c15) // for an example; use a real generator
/// };
/// let shape = Shape::of("31/12/1999", &Kind::Date, ShapeLevel::Exact);
/// let date = surrogates.draw(&shape, words);
/// assert_eq!(date.len(), 10);
/// assert_eq!(date.matches('/').count(), 2);
/// # Ok::<(), inkveil_surrogates::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Surrogates {
    lists: Arc<Lists>,
    /// Other languages by code.
    languages: BTreeMap<String, Speech>,
}

/// How often a surrogate is drawn until one fits.
const FITTING_TRIES: u32 = 16;

impl Surrogates {
    /// The name of the file with the lists in a model pack.
    pub const FILE: &'static str = "surrogates.txt";

    /// Opens the lists: the file of a pack, or the folder that the file was made from. Each list is parsed
    /// at its first use.
    ///
    /// # Errors
    /// Fails if a file cannot be read or a list is missing.
    pub fn open(path: &Path) -> Result<Surrogates, Error> {
        let lists = Lists::open(path)?;
        let languages = Speech::open(&path.with_file_name(speech::FILE))?;
        Ok(Surrogates { lists: Arc::new(lists), languages })
    }

    #[cfg(test)]
    pub(crate) fn with_languages(lists: Lists, text: &str) -> Surrogates {
        let languages = Speech::parse(text);
        Surrogates { lists: Arc::new(lists), languages }
    }

    /// Returns the lists.
    pub fn lists(&self) -> &Lists {
        &self.lists
    }

    /// Returns the lists of a language by its code of two letters, or those of English if it has none.
    pub fn lists_in(&self, language: &str) -> &Lists {
        self.languages.get(language).map_or(&self.lists, |speech| speech.lists(&self.lists))
    }

    /// Draws as [`draw_fitting`](Self::draw_fitting) does, in a language given by its code of two letters. Names,
    /// places, companies, streets, jobs and diseases come from its lists. Of the original, a form of address
    /// keeps its gender and an address whether it has a number; otherwise the sentence would not be correct.
    pub fn draw_in(
        &self,
        language: &str,
        original: &str,
        shape: &Shape,
        words: impl FnMut() -> u64 + Send + 'static,
        fits: impl Fn(&str) -> bool,
    ) -> String {
        let Some(speech) = self.languages.get(language) else { return self.draw_fitting(shape, words, fits) };
        let grammar = Grammar::of(original, shape.kind());
        let mut generator = Generator::new(speech.lists(&self.lists).clone(), words);
        let mut draw = || {
            let drawn = speech.draw(&grammar, shape, &mut generator);
            drawn.unwrap_or_else(|| generator.like(shape.kind(), shape.form()))
        };
        let mut drawn = draw();
        for _ in 1..FITTING_TRIES {
            if fits(&drawn) {
                break;
            }
            drawn = draw();
        }
        drawn
    }

    /// Draws a surrogate, which is never empty. The random words must be uniform over 64 bits and must not
    /// be used for another value.
    pub fn draw(&self, shape: &Shape, words: impl FnMut() -> u64 + Send + 'static) -> String {
        self.draw_fitting(shape, words, |_| true)
    }

    /// Draws as [`draw`](Self::draw) does, again and again until a surrogate fits. After 16 draws that
    /// do not fit, the last one is returned.
    pub fn draw_fitting(
        &self,
        shape: &Shape,
        words: impl FnMut() -> u64 + Send + 'static,
        fits: impl Fn(&str) -> bool,
    ) -> String {
        let mut generator = Generator::new(self.lists.clone(), words);
        let mut drawn = generator.like(shape.kind(), shape.form());
        for _ in 1..FITTING_TRIES {
            if fits(&drawn) {
                break;
            }
            drawn = generator.like(shape.kind(), shape.form());
        }
        drawn
    }
}

impl Generator {
    fn like(&mut self, kind: &Kind, form: &Form) -> String {
        match form {
            Form::Any if *kind == Kind::UserAgent => self.browser(),
            Form::Any => self.email_at_example(),
            Form::Pattern(pattern) => self.code_like(kind, pattern),
            Form::Runs(runs) => self.runs_like(runs),
            Form::Words(casing) => casing.apply(self.words_for(kind)),
            Form::Group(group, casing) => casing.apply(self.word_of(*group)),
            Form::Name(form) => self.name_like(form),
            Form::Title { dotted, casing } => casing.apply(self.title_like(*dotted)),
            Form::Username { handle: true } => format!("@{}", self.username()),
            Form::Username { handle: false } => self.username(),
            Form::Trait(form) => self.trait_like(*form),
            Form::Age(form) => self.age_like(*form),
            Form::StateCode => self.state_code(),
            Form::Address(form) => self.address_like(*form),
            Form::Coordinates(form) => self.gps_like(*form),
            Form::Date(form) => self.date_like(form),
            Form::Time(form) => self.time_like(*form),
            Form::Phone(form) => self.phone_like(form),
            Form::Url(form) => self.url_like(*form),
            Form::Ip(form) => self.ip_like(*form),
            Form::Mac(form) => self.mac_like(*form),
            Form::Money(form) => self.money_like(form),
            Form::Coin(coin) => self.address_of(*coin),
            Form::Secret(form) => self.secret_like(form),
            Form::Password { length } => self.password_of(*length),
        }
    }

    fn code_like(&mut self, kind: &Kind, pattern: &Pattern) -> String {
        match kind {
            Kind::PostalCode => self.postal_code_like(pattern),
            Kind::Imei => self.imei_like(pattern),
            Kind::CreditCard => self.card_like(pattern),
            Kind::CardCode => self.card_code_like(pattern),
            Kind::Iban => self.iban_like(pattern),
            Kind::BankCode => self.bank_code_like(pattern),
            Kind::NationalId => self.national_id_like(pattern),
            Kind::Plate => self.plate_like(pattern),
            _ => pattern.fill(&mut self.dice),
        }
    }

    fn word_of(&mut self, group: GroupId) -> String {
        let words: Vec<&str> = group.words().collect();
        self.dice.pick(&words).map_or_else(String::new, |word| (*word).to_owned())
    }

    fn words_for(&mut self, kind: &Kind) -> String {
        match kind {
            Kind::Job => self.job(),
            Kind::Location => self.city(),
            Kind::Health => self.entry(List::Diseases),
            Kind::Medication => self.entry(List::Drugs),
            Kind::BankAccount => self.account_name(),
            Kind::Vin => self.valid_vin(),
            _ => self.company(),
        }
    }
}

#[cfg(test)]
mod tests;
