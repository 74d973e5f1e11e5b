//! User names, e-mail addresses and web addresses.

use super::person::PersonName;
use crate::generator::Generator;
use crate::letters::{capitalised, plain};
use crate::lists::List;
use crate::shape::UrlForm;

const MAIL_HOSTS: &[&str] = &[
    "gmail.com",
    "yahoo.com",
    "hotmail.com",
    "outlook.com",
    "icloud.com",
    "aol.com",
    "proton.me",
    "protonmail.com",
    "live.com",
    "msn.com",
    "gmx.de",
    "gmx.net",
    "web.de",
    "mail.ru",
    "yandex.ru",
    "orange.fr",
    "free.fr",
    "libero.it",
    "btinternet.com",
    "comcast.net",
    "verizon.net",
    "zoho.com",
    "fastmail.com",
    "qq.com",
    "163.com",
    "rediffmail.com",
    "yahoo.co.uk",
    "hotmail.fr",
    "t-online.de",
    "me.com",
];
const ENDINGS: &[&str] = &[
    "com", "com", "com", "com", "net", "org", "io", "co", "info", "biz", "dev", "app", "ai", "tech",
    "online", "site", "store", "shop", "xyz", "me", "tv", "cloud", "agency", "studio", "digital", "health",
    "bank", "legal", "design", "media", "edu", "gov", "us", "uk", "co.uk", "org.uk", "ac.uk", "gov.uk", "de",
    "fr", "es", "it", "nl", "be", "ch", "at", "se", "no", "dk", "fi", "pl", "cz", "ie", "pt", "ru", "com.br",
    "com.mx", "com.au", "co.nz", "ca", "in", "co.in", "jp", "co.jp", "cn", "com.cn", "kr", "sg", "com.sg",
    "hk", "ae", "co.za", "ng", "ke", "eu", "name",
];
/// Domains that RFC 2606 reserves for examples. They belong to no one.
const EXAMPLES: &[&str] = &["example.com", "example.org", "example.net"];
const PATHS: &[&str] = &[
    "about",
    "account",
    "admin",
    "api",
    "archive",
    "articles",
    "blog",
    "careers",
    "cart",
    "catalog",
    "contact",
    "dashboard",
    "docs",
    "download",
    "events",
    "faq",
    "files",
    "forum",
    "gallery",
    "help",
    "home",
    "images",
    "index.html",
    "invoices",
    "login",
    "members",
    "news",
    "orders",
    "people",
    "posts",
    "press",
    "pricing",
    "products",
    "profile",
    "projects",
    "reports",
    "search",
    "services",
    "settings",
    "share",
    "shop",
    "status",
    "support",
    "team",
    "terms",
    "users",
    "wiki",
];

impl Generator {
    pub(crate) fn username(&mut self) -> String {
        let PersonName { given, family, .. } = self.person();
        let (given, family) = (plain(&given), plain(&family));
        let word = plain(&self.entry(List::CompanyWords));
        let other = plain(&self.entry(List::Streets));
        let number = self.dice.fill_one(&["%", "%#", "%#", "##", "%##", "19%#", "20##", "%###"]);
        let first = given.get(..1).unwrap_or("x").to_owned();
        let last = family.get(..1).unwrap_or("x").to_owned();
        match self.dice.below(24) {
            0 => format!("{given}{number}"),
            1 => format!("{given}.{family}"),
            2 => format!("{given}_{family}"),
            3 => format!("{given}_{family}{number}"),
            4 => format!("{first}{family}"),
            5 => format!("{first}.{family}{number}"),
            6 => format!("{family}{first}"),
            7 => format!("{given}{last}{number}"),
            8 => format!("{given}-{family}"),
            9 => format!("{word}_{other}{number}"),
            10 => format!("{word}{other}"),
            11 => format!("{}{}{number}", capitalised(&word), capitalised(&other)),
            12 => format!("{}_{}", capitalised(&given), capitalised(&family)),
            13 => format!("{}{number}", capitalised(&given)),
            14 => format!("{}.{}{number}", capitalised(&given), capitalised(&family)),
            15 => format!("x{word}x{number}"),
            16 => format!("{}_{number}", word),
            17 => format!("the{}{}", self.dice.one_of(&["_", "", "real_", "one_"]), given),
            18 => format!(
                "{word}{}",
                self.dice.one_of(&["lover", "fan", "girl", "guy", "gamer", "_official", "master"])
            ),
            19 => format!("mr_{word}"),
            20 => leet(&format!("{word}{other}")),
            21 => self.dice.fill("user######"),
            22 => self.dice.fill("&&&###"),
            _ => format!("{given}{family}{number}"),
        }
    }

    /// Draws the part before the `@`.
    fn mailbox(&mut self) -> String {
        let PersonName { given, family, .. } = self.person();
        let (given, family) = (plain(&given), plain(&family));
        let first = given.get(..1).unwrap_or("x").to_owned();
        let number = self.dice.fill_one(&["%", "%#", "##", "19%#", "%##"]);
        match self.dice.below(20) {
            0..4 => format!("{given}.{family}"),
            4..6 => format!("{given}{family}"),
            6 => format!("{given}_{family}"),
            7..9 => format!("{first}{family}"),
            9 => format!("{first}.{family}"),
            10 => given,
            11 => format!("{given}{number}"),
            12 => format!("{given}.{family}{number}"),
            13 => format!("{}.{}", capitalised(&given), capitalised(&family)),
            14 => format!("{}{number}", capitalised(&given)),
            15 => format!("{given}+{}", self.dice.one_of(&["news", "work", "shop", "test", "lists", "bank"])),
            16 => self
                .dice
                .one_of(&[
                    "info", "support", "sales", "admin", "contact", "office", "billing", "hr", "help", "team",
                ])
                .to_owned(),
            17 => format!("{family}-{given}"),
            _ => self.username(),
        }
    }

    pub(crate) fn email(&mut self) -> String {
        let local = self.mailbox();
        let host = match self.dice.below(10) {
            0..4 => self.dice.one_of(MAIL_HOSTS).to_owned(),
            4 => self
                .dice
                .one_of(&["example.com", "example.org", "example.net", "mail.example.com"])
                .to_owned(),
            _ => self.host(),
        };
        format!("{local}@{host}")
    }

    /// Draws an e-mail address at a reserved domain.
    pub(crate) fn email_at_example(&mut self) -> String {
        format!("{}@{}", self.mailbox(), self.dice.one_of(EXAMPLES))
    }

    /// Draws a web address of the same form at a reserved domain.
    pub(crate) fn url_like(&mut self, form: UrlForm) -> String {
        let word = plain(&self.entry(List::CompanyWords));
        let mut url = format!("{}{word}.{}", form.scheme, self.dice.one_of(EXAMPLES));
        if form.path {
            for _ in 0..self.dice.between(1, 3) {
                url.push('/');
                url.push_str(&self.segment());
            }
        }
        url
    }

    pub(crate) fn domain(&mut self) -> String {
        let below = self.dice.one_of(&["", "", "", "", "", "www.", "mail.", "app.", "my.", "portal."]);
        format!("{below}{}", self.host())
    }

    /// Draws a domain without a subdomain.
    fn host(&mut self) -> String {
        let word = plain(&self.entry(List::CompanyWords));
        let field = plain(&self.entry(List::CompanyFields));
        let ending = self.dice.one_of(ENDINGS);
        let name = match self.dice.below(10) {
            0..3 => format!("{word}{field}"),
            3..5 => format!("{word}-{field}"),
            5 => word,
            6 => plain(&self.person().family),
            7 => format!("{}-{}", plain(&self.person().given), plain(&self.person().family)),
            8 => format!("{}{}", plain(&self.entry(List::Streets)), word),
            _ => format!("{word}{}", self.dice.fill("%#")),
        };
        format!("{name}.{ending}")
    }

    pub(crate) fn url(&mut self) -> String {
        let domain = self.domain();
        let scheme =
            self.dice.one_of(&["https://", "https://", "https://", "http://", "http://", "", "ftp://"]);
        // Without a scheme, only "www." marks a web address.
        let bare = domain.strip_prefix("www.").unwrap_or(&domain);
        let host = if scheme.is_empty() { format!("www.{bare}") } else { domain };
        let mut url = format!("{scheme}{host}");
        for _ in 0..self.dice.below(4) {
            url.push('/');
            url.push_str(&self.segment());
        }
        let number = self.dice.fill("%####");
        let word = self.dice.fill("&&&&&");
        match self.dice.below(12) {
            0 => url.push('/'),
            1 => url.push_str(&format!("?id={number}")),
            2 => url.push_str(&format!("?q={word}")),
            3 => url.push_str(&format!("?user={number}&ref={word}")),
            4 => url.push_str(&format!("#{word}")),
            _ => {}
        }
        url
    }

    /// Draws a segment of a path.
    fn segment(&mut self) -> String {
        match self.dice.below(6) {
            0..3 => self.dice.one_of(PATHS).to_owned(),
            3 => self.username(),
            4 => self.dice.fill_one(&["%###", "%#####", "20##/%#", "~~~~~~~~"]),
            _ => {
                let words = [self.entry(List::JobAreas), self.entry(List::CompanyWords)];
                words.map(|word| plain(&word)).join("-")
            }
        }
    }
}

/// Replaces letters by similar digits.
fn leet(word: &str) -> String {
    word.replace('a', "4").replace('e', "3").replace('i', "1").replace('o', "0")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::generator;

    #[test]
    fn mail_addresses_have_one_at_sign_and_a_host() {
        let mut generator = generator(2);
        for _ in 0..500 {
            let mail = generator.email();
            let (local, host) = mail.split_once('@').unwrap();
            assert!(
                !local.is_empty() && host.contains('.') && mail.is_ascii() && !mail.contains(' '),
                "{mail}"
            );
            let url = generator.url();
            assert!(url.contains('.') && !url.contains(' '), "{url}");
        }
    }

    #[test]
    fn surrogates_use_reserved_domains() {
        let mut generator = generator(4);
        let reserved = |host: &str| EXAMPLES.iter().any(|name| host.ends_with(name));
        for _ in 0..200 {
            let mail = generator.email_at_example();
            assert!(
                mail.split_once('@').is_some_and(|(local, host)| !local.is_empty() && reserved(host)),
                "{mail}"
            );
            for text in ["https://a.org/b", "http://a.org", "a.org"] {
                let form = UrlForm::of(text);
                let url = generator.url_like(form);
                let host = url.trim_start_matches(form.scheme).split('/').next().unwrap();
                assert!(UrlForm::of(&url) == form && reserved(host), "{url}");
            }
        }
    }
}
