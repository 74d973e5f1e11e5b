//! Network addresses of people and machines.

mod email;
mod host;
mod url;

use std::net::{Ipv4Addr, Ipv6Addr};

use super::checksum::luhn;
use super::letters::{all_same, digits};
use super::rule::{Edges, Rule, Trigger, Verdict};
use crate::kind::Kind;

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("email", Kind::Email, "An e-mail address.", 0.97)
            .parsed(Trigger::At, email::around_at)
            .edges(Edges::Word),
        Rule::new("email-spelled-out", Kind::Email, "An e-mail address written with at and dot.", 0.85)
            .parsed(Trigger::Words(&["at"]), email::around_spelled_at)
            .edges(Edges::Word),
        Rule::new("url", Kind::Url, "A web address, which often contains a person or an account.", 0.95)
            .parsed(Trigger::Scheme, url::around_scheme)
            .growing(url::BEYOND)
            .edges(Edges::Word),
        Rule::new("domain", Kind::Url, "A domain name.", 0.6)
            .parsed(Trigger::Host, url::domain_at)
            .growing(url::BEYOND)
            .checked("top-level domain", url::domain_verdict, 0.85)
            .near(
                ["website", "web site", "site", "visit", "domain", "host", "url", "homepage", "server"],
                0.9,
            )
            .edges(Edges::Word),
        Rule::new("ipv4", Kind::IpAddress, "An IPv4 address.", 0.6)
            .shape(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?:/[0-9]{1,2})?")
            .checked("octets", ipv4, 0.92)
            .near(
                ["ip", "ip address", "ipv4", "server", "host", "address", "subnet", "gateway", "ping", "dns"],
                0.95,
            )
            .never_after(&["version", "v", "ver", "release", "section", "chapter", "firmware", "build", "§"]),
        Rule::new("ipv6", Kind::IpAddress, "An IPv6 address.", 0.4)
            .shape(concat!(
                r"(?:[0-9A-Fa-f]{0,4}:){2,7}(?:[0-9A-Fa-f]{0,4}|[0-9]{1,3}(?:\.[0-9]{1,3}){3})",
                "(?:%[0-9A-Za-z]{1,15})?(?:/[0-9]{1,3})?",
            ))
            .checked("IPv6", ipv6, 0.95)
            .near(["ip", "ip address", "ipv6", "server", "host", "address"], 0.95)
            .edges(Edges::Word),
        Rule::new("mac", Kind::MacAddress, "The hardware address of a network card.", 0.6)
            .shape(r"[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})")
            .shape(r"[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}")
            .checked("hex groups", mac, 0.95)
            .near(["mac", "mac address", "hardware address", "bssid", "physical address"], 0.97)
            .edges(Edges::Strict),
        Rule::new("imei", Kind::Imei, "The serial number of a mobile telephone.", 0.2)
            .shape("[0-9]{15}")
            .checked("Luhn", luhn_verdict, 0.6)
            .near(["imei", "device", "handset", "phone id", "mobile"], 0.9),
        Rule::new("imei-grouped", Kind::Imei, "The serial number of a mobile telephone, in groups.", 0.8)
            .shape("[0-9]{2}-[0-9]{6}-[0-9]{6}-[0-9]{1,2}")
            .shape("[0-9]{2} [0-9]{6} [0-9]{6} [0-9]{1,2}")
            .checked("IMEI", luhn_or_unsure, 0.95)
            .near(["imei", "device", "handset", "mobile"], 0.95),
        Rule::new("user-agent", Kind::UserAgent, "The user agent of a browser or program.", 0.95)
            .shape_at(
                &["mozilla", "opera", "dalvik"],
                concat!(
                    r"(?:Mozilla|Opera|Dalvik)/[0-9.]{1,8} \([^()\n]{3,160}\)",
                    r"(?: [A-Za-z]{2,20}(?:/[0-9A-Za-z._+-]{1,30})?| \([^()\n]{3,80}\)){0,12}",
                ),
            )
            .edges(Edges::Word),
    ]
}

fn ipv4(text: &str) -> Verdict {
    let (address, mask) = text.split_once('/').unwrap_or((text, "0"));
    if !mask.parse::<u8>().is_ok_and(|mask| mask <= 32) || address.parse::<Ipv4Addr>().is_err() {
        return Verdict::Invalid;
    }
    // 1.2.3.4 may also be a section or a version.
    if address.len() <= 8 { Verdict::Unsure } else { Verdict::Valid }
}

fn ipv6(text: &str) -> Verdict {
    let address = text.split(['/', '%']).next().unwrap_or(text);
    if address.parse::<Ipv6Addr>().is_err() {
        return Verdict::Invalid;
    }
    let groups = address.split(':').filter(|group| !group.is_empty()).count();
    match groups {
        0 => Verdict::Invalid,
        // `a::b` is also a path in a program.
        1 | 2 if !address.bytes().any(|b| b.is_ascii_digit()) => Verdict::Unsure,
        _ => Verdict::Valid,
    }
}

fn mac(text: &str) -> Verdict {
    // Digits alone may also be a telephone or account number. A colon or a letter is needed.
    match text.bytes().any(|b| b.is_ascii_alphabetic() || b == b':') {
        true => Verdict::Valid,
        false => Verdict::Unsure,
    }
}

fn luhn_verdict(text: &str) -> Verdict {
    if luhn(text) && !all_same(text) { Verdict::Valid } else { Verdict::Unsure }
}

fn luhn_or_unsure(text: &str) -> Verdict {
    let count = digits(text).count();
    if count == 15 && luhn(text) { Verdict::Valid } else { Verdict::Unsure }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{finds, ignores, score};

    #[test]
    fn ipv4() {
        finds(
            "ipv4",
            &[
                "from [[192.168.10.254]] at noon",
                "ping [[8.8.8.8]] please",
                "IP address: [[10.0.0.1]].",
                "route [[172.16.31.0/24]] here",
                "[[203.0.113.77]]:8080 is up",
                "blocked,[[198.51.100.23]],twice",
            ],
        );
        ignores(
            "ipv4",
            &[
                "version 10.20.30.40",
                "v 110.20.30.40",
                "256.100.100.100",
                "1.2.3.4.5",
                "192.168.1",
                "192.168.010.1",
                "x192.168.10.254",
            ],
        );
        assert!(score("ipv4", "at 192.168.10.254") > score("ipv4", "see 1.2.3.4"));
    }

    #[test]
    fn ipv6() {
        finds(
            "ipv6",
            &[
                "at [[2001:0db8:85a3:0000:0000:8a2e:0370:7334]].",
                "at [[2001:db8::8a2e:370:7334]]",
                "loopback [[::1]] only",
                "link [[fe80::1ff:fe23:4567:890a%eth0]]",
                "mapped [[::ffff:192.0.2.128]] too",
                "net [[2001:db8::/32]]",
                "host [[dead:beef::cafe:1]]",
            ],
        );
        ignores(
            "ipv6",
            &["at 12:30:45", "std::fmt", "a::b", "1:2:3:4:5:6:7", "::", "g001::1", "ratio 3:4:5"],
        );
    }

    #[test]
    fn mac() {
        finds(
            "mac",
            &[
                "card [[00:1A:2B:3C:4D:5E]] up",
                "[[00-1a-2b-3c-4d-5e]]",
                "[[001a.2b3c.4d5e]] is Cisco's way",
                "bssid=[[aa:bb:cc:dd:ee:ff]]",
                "mac [[12-34-56-78-90-12]]",
            ],
        );
        ignores(
            "mac",
            &[
                "00:1A:2B:3C:4D",
                "00:1A-2B:3C-4D:5E",
                "12:30:45",
                "00:1G:2B:3C:4D:5E",
                "1234.5678",
                "aabbccddeeff",
            ],
        );
    }

    #[test]
    fn imei() {
        finds(
            "imei",
            &[
                "IMEI [[490154203237518]]",
                "IMEI: [[356938035643809]].",
                "the imei is [[352099001761481]]",
                "handset [[490154203237519]]",
                "[[490154203237518]] alone",
            ],
        );
        ignores(
            "imei",
            &[
                "490154203237519 alone",
                "49015420323751",
                "4901542032375180",
                "000000000000000",
                "A490154203237518",
            ],
        );
        finds(
            "imei-grouped",
            &[
                "IMEI [[49-015420-323751-8]]",
                "the phone [[06-184755-866851-3]] was lost",
                "[[35 693803 564380 9]]",
                "imei:[[35-209900-176148-1]]",
                "no [[35-209900-176148-23]] here",
            ],
        );
        ignores(
            "imei-grouped",
            &[
                "49-01542-323751-8",
                "4-015420-323751-8",
                "1-49-015420-323751-8",
                "49-015420-323751",
                "49015420 323751 8",
            ],
        );
    }

    #[test]
    fn user_agent() {
        finds(
            "user-agent",
            &[
                "UA: [[Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0]]",
                "[[Mozilla/5.0 (Windows NT 10.0; rv:109.0) Gecko/20100101 Firefox/115.0]], he said",
                "[[Opera/9.80 (Windows NT 6.1; U; en) Presto/2.8.131 Version/11.11]]",
                "\"[[Dalvik/2.1.0 (Linux; U; Android 9; SM-G960F)]]\"",
                "[[Mozilla/4.0 (compatible; MSIE 8.0; Trident/4.0)]]",
            ],
        );
        ignores(
            "user-agent",
            &[
                "Mozilla is a foundation",
                "Mozilla/5.0",
                "an opera (in three acts)",
                "Mozilla/5.0 ()",
                "mozillas",
            ],
        );
    }
}
