//! What stands for people and machines on the net: user names, addresses, browsers.

use super::lists::List;
use super::{Fresh, Name, capitalised, plain};

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

impl Fresh {
    pub(super) fn username(&mut self) -> String {
        let Name { given, family, .. } = self.person();
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

    pub(super) fn email(&mut self) -> String {
        let Name { given, family, .. } = self.person();
        let (given, family) = (plain(&given), plain(&family));
        let first = given.get(..1).unwrap_or("x").to_owned();
        let number = self.dice.fill_one(&["%", "%#", "##", "19%#", "%##"]);
        let local = match self.dice.below(20) {
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
        };
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

    pub(super) fn domain(&mut self) -> String {
        let below = self.dice.one_of(&["", "", "", "", "", "www.", "mail.", "app.", "my.", "portal."]);
        format!("{below}{}", self.host())
    }

    /// A domain with nothing before its name.
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

    pub(super) fn url(&mut self) -> String {
        let domain = self.domain();
        let scheme =
            self.dice.one_of(&["https://", "https://", "https://", "http://", "http://", "", "ftp://"]);
        // Without a scheme only "www." says that it is an address of the web.
        let bare = domain.strip_prefix("www.").unwrap_or(&domain);
        let host = if scheme.is_empty() { format!("www.{bare}") } else { domain };
        let mut url = format!("{scheme}{host}");
        for _ in 0..self.dice.below(4) {
            url.push('/');
            let segment = match self.dice.below(6) {
                0..3 => self.dice.one_of(PATHS).to_owned(),
                3 => self.username(),
                4 => self.dice.fill_one(&["%###", "%#####", "20##/%#", "~~~~~~~~"]),
                _ => {
                    let words = [self.entry(List::JobAreas), self.entry(List::CompanyWords)];
                    words.map(|word| plain(&word)).join("-")
                }
            };
            url.push_str(&segment);
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

    pub(super) fn ip(&mut self) -> String {
        let mut parts = [0; 4].map(|_| self.dice.between(0, 255));
        if self.dice.chance(30) {
            let (first, second) =
                self.dice.pick(&[(10, 0), (192, 168), (172, 16), (127, 0)]).copied().unwrap_or((10, 0));
            (parts[0], parts[1]) = (first, second);
        }
        let address = parts.map(|part| part.to_string()).join(".");
        match self.dice.below(15) {
            0 => format!("{address}/{}", self.dice.one_of(&["8", "16", "24", "28", "32"])),
            _ => address,
        }
    }

    pub(super) fn ipv6(&mut self) -> String {
        let groups: Vec<String> = (0..8).map(|_| format!("{:x}", self.dice.below(65536))).collect();
        match self.dice.below(8) {
            0..4 => (0..8).map(|_| self.dice.fill("~~~~")).collect::<Vec<_>>().join(":"),
            4 => groups.join(":").to_uppercase(),
            5 => format!("2001:db8::{}:{}", groups[0], groups[1]),
            6 => format!("fe80::{}", groups[..4].join(":")),
            _ => format!("{}::{}", groups[..3].join(":"), groups[3]),
        }
    }

    pub(super) fn mac(&mut self) -> String {
        let pairs: Vec<String> = (0..6).map(|_| self.dice.fill("~~")).collect();
        match self.dice.below(8) {
            0..4 => pairs.join(":"),
            4 => pairs.join(":").to_uppercase(),
            5 => pairs.join("-").to_uppercase(),
            6 => pairs.chunks(2).map(<[String]>::concat).collect::<Vec<_>>().join("."),
            _ => pairs.concat().to_uppercase(),
        }
    }

    /// The number of a mobile telephone, with its check digit.
    pub(super) fn imei(&mut self) -> String {
        let body =
            self.dice.fill_one(&["35############", "01############", "86############", "99############"]);
        let number = format!("{body}{}", super::check_digits::luhn(&body));
        match self.dice.below(6) {
            0..3 => number,
            3..5 => super::bank::grouped(&number, &[2, 6, 6, 1], "-"),
            _ => super::bank::grouped(&number, &[2, 6, 6, 1], " "),
        }
    }

    pub(super) fn user_agent(&mut self) -> String {
        let windows = self.dice.one_of(&[
            "Windows NT 10.0; Win64; x64",
            "Windows NT 6.1; WOW64",
            "Windows NT 6.3; Win64; x64",
            "Windows NT 10.0",
            "Macintosh; Intel Mac OS X 10_15_7",
            "Macintosh; Intel Mac OS X 13_4",
            "X11; Linux x86_64",
            "X11; Ubuntu; Linux x86_64",
            "X11; CrOS x86_64 14541.0.0",
            "Windows NT 5.1",
        ]);
        let chrome = self.dice.fill("1##.0.####.%##");
        let version = self.dice.fill("1##.0");
        let safari = self.dice.fill_one(&["1#.%", "1#.%.%"]);
        let kit = "AppleWebKit/537.36 (KHTML, like Gecko)";
        match self.dice.below(10) {
            0..3 => format!("Mozilla/5.0 ({windows}) {kit} Chrome/{chrome} Safari/537.36"),
            3 => format!("Mozilla/5.0 ({windows}) {kit} Chrome/{chrome} Safari/537.36 Edg/{chrome}"),
            4 => format!("Mozilla/5.0 ({windows}; rv:{version}) Gecko/20100101 Firefox/{version}"),
            5 => {
                let ios = safari.replace('.', "_");
                format!(
                    "Mozilla/5.0 (iPhone; CPU iPhone OS {ios} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/{safari} Mobile/15E148 Safari/604.1"
                )
            }
            6 => {
                let device = self.dice.one_of(&[
                    "SM-G991B",
                    "Pixel 7",
                    "SM-A536E",
                    "M2101K6G",
                    "CPH2211",
                    "Nokia G20",
                ]);
                let android = self.dice.between(8, 15);
                format!(
                    "Mozilla/5.0 (Linux; Android {android}; {device}) {kit} Chrome/{chrome} Mobile Safari/537.36"
                )
            }
            7 => format!(
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/{safari} Safari/605.1.15"
            ),
            8 => {
                let (opera, presto) = (self.dice.fill("9.%#"), self.dice.fill("2.9.%##"));
                format!("Opera/{opera} ({windows}) Presto/{presto} Version/{}", self.dice.fill("1%.00"))
            }
            _ => match self.dice.below(4) {
                0 => self.dice.fill("curl/7.%#.%"),
                1 => self.dice.fill("PostmanRuntime/7.%#.%"),
                2 => self.dice.fill("okhttp/4.%.%"),
                _ => self.dice.fill("Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.%; Trident/5.%)"),
            },
        }
    }
}

/// Letters written as digits that look like them.
fn leet(word: &str) -> String {
    word.replace('a', "4").replace('e', "3").replace('i', "1").replace('o', "0")
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::super::tests::fresh;

    #[test]
    fn addresses_of_the_protocol_parse() {
        let mut fresh = fresh(1);
        for _ in 0..300 {
            let (four, six) = (fresh.ip(), fresh.ipv6());
            four.split('/').next().unwrap().parse::<Ipv4Addr>().unwrap();
            six.parse::<Ipv6Addr>().unwrap();
        }
    }

    #[test]
    fn mail_addresses_have_one_at_sign_and_a_host() {
        let mut fresh = fresh(2);
        for _ in 0..500 {
            let mail = fresh.email();
            let (local, host) = mail.split_once('@').unwrap();
            assert!(
                !local.is_empty() && host.contains('.') && mail.is_ascii() && !mail.contains(' '),
                "{mail}"
            );
            let url = fresh.url();
            assert!(url.contains('.') && !url.contains(' '), "{url}");
        }
    }

    #[test]
    fn user_agents_are_filled_in() {
        let mut fresh = fresh(3);
        assert!((0..300).all(|_| !fresh.user_agent().contains(['#', '%'])));
    }
}
