//! E-mail addresses of identities.

use inkveil_surrogates::List;

use super::person::family_name;
use super::{Cast, Source};
use crate::address::Draw;
use crate::letters::ascii;
use crate::names::{Gender, all_of};
use crate::resolve::Email;

/// Domains that RFC 2606 reserves for examples. They stand for providers that many people use.
const PROVIDERS: [&str; 3] = ["example.com", "example.org", "example.net"];
/// Names of providers that many people use.
const PUBLIC: &[&str] = &[
    "gmail",
    "googlemail",
    "yahoo",
    "hotmail",
    "outlook",
    "live",
    "msn",
    "icloud",
    "me",
    "aol",
    "proton",
    "protonmail",
    "gmx",
    "web",
    "mail",
    "yandex",
    "orange",
    "free",
    "libero",
    "btinternet",
    "comcast",
    "verizon",
    "zoho",
    "fastmail",
    "qq",
    "163",
    "rediffmail",
    "t-online",
    "example",
];
/// Mailboxes that name a function and no person. They are kept.
const FUNCTIONS: &[&str] = &[
    "info",
    "support",
    "admin",
    "hr",
    "sales",
    "contact",
    "office",
    "noreply",
    "no-reply",
    "help",
    "helpdesk",
    "accounts",
    "team",
    "enquiries",
    "billing",
    "jobs",
    "press",
    "service",
    "legal",
    "complaints",
];

impl Cast {
    /// Writes the address of the same owner at the domain of the same organisation.
    pub(super) fn email(&self, source: &Source<'_>, address: &str, email: &Email) -> Option<String> {
        let (mailbox, domain) = address.split_once('@')?;
        let mailbox = match &email.person {
            Some((person, handle)) => self.people.get(person)?.handle(handle),
            None if function_of(mailbox).is_some() => mailbox.to_owned(),
            None => {
                let fields = ["mailbox", &mailbox.to_lowercase(), &domain.to_lowercase()];
                let mut draw = Draw::at(source.key, source.scope, &fields, 0);
                let gender = if draw.below(2) == 0 { Gender::Female } else { Gender::Male };
                let given = draw.pick_common(all_of(gender)).map_or_else(String::new, |name| ascii(name));
                format!("{given}.{}", ascii(&family_name(&mut draw, source.lists)))
            }
        };
        let domain = match email.organisation {
            Some(organisation) => format!("{}.example", self.organisations.get(&organisation)?.domain()),
            None => domain_for(source, &domain.to_lowercase()),
        };
        Some(format!("{mailbox}@{domain}"))
    }
}

/// Returns the function that a mailbox names.
pub(crate) fn function_of(mailbox: &str) -> Option<&'static str> {
    FUNCTIONS.iter().find(|function| function.eq_ignore_ascii_case(mailbox)).copied()
}

/// Returns whether the label of a domain is that of a provider that many people use.
pub(crate) fn is_public_provider(label: &str) -> bool {
    PUBLIC.contains(&label)
}

/// Returns the domain that stands for another one, the same in the whole scope.
fn domain_for(source: &Source<'_>, domain: &str) -> String {
    let mut draw = Draw::at(source.key, source.scope, &["domain", domain], 0);
    let label = crate::resolve::domain_label(domain);
    if is_public_provider(label) {
        return draw.pick(&PROVIDERS).map_or_else(String::new, |domain| (*domain).to_owned());
    }
    let mut word =
        |list| draw.pick(source.lists.of(list)).map_or_else(String::new, |entry| ascii(&entry.text));
    format!("{}-{}.example", word(List::CompanyWords), word(List::CompanyFields))
}
