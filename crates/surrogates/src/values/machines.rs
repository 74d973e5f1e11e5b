//! Addresses of machines, numbers of mobile telephones, and user agents of browsers.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::bank::grouped;
use super::check_digits::luhn;
use crate::generator::Generator;
use crate::shape::{IpForm, MacForm, Pattern};

impl Generator {
    pub(crate) fn ip(&mut self) -> String {
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

    pub(crate) fn ipv6(&mut self) -> String {
        let groups: Vec<String> = (0..8).map(|_| format!("{:x}", self.dice.below(65536))).collect();
        match self.dice.below(8) {
            0..4 => (0..8).map(|_| self.dice.fill("~~~~")).collect::<Vec<_>>().join(":"),
            4 => groups.join(":").to_uppercase(),
            5 => format!("2001:db8::{}:{}", groups[0], groups[1]),
            6 => format!("fe80::{}", groups[..4].join(":")),
            _ => format!("{}::{}", groups[..3].join(":"), groups[3]),
        }
    }

    pub(crate) fn mac(&mut self) -> String {
        let pairs: Vec<String> = (0..6).map(|_| self.dice.fill("~~")).collect();
        match self.dice.below(8) {
            0..4 => pairs.join(":"),
            4 => pairs.join(":").to_uppercase(),
            5 => pairs.join("-").to_uppercase(),
            6 => pairs.chunks(2).map(<[String]>::concat).collect::<Vec<_>>().join("."),
            _ => pairs.concat().to_uppercase(),
        }
    }

    /// Draws an IMEI with its check digit.
    pub(crate) fn imei(&mut self) -> String {
        let body =
            self.dice.fill_one(&["35############", "01############", "86############", "99############"]);
        let number = format!("{body}{}", luhn(&body));
        match self.dice.below(6) {
            0..3 => number,
            3..5 => grouped(&number, &[2, 6, 6, 1], "-"),
            _ => grouped(&number, &[2, 6, 6, 1], " "),
        }
    }

    /// Draws an address of a reserved network: 198.18.0.0/15 is reserved for benchmarks (RFC 2544) and
    /// 2001:db8::/32 for documentation (RFC 3849).
    pub(crate) fn ip_like(&mut self, form: IpForm) -> String {
        let (address, prefix) = match form.six {
            true => {
                let low = u128::from_be_bytes(self.dice.bytes()) >> 32;
                (Ipv6Addr::from_bits((0x2001_0db8 << 96) | low).to_string(), ["48", "56", "64"])
            }
            false => {
                let low = u32::from_be_bytes(self.dice.bytes()) >> 15;
                (Ipv4Addr::from_bits(0xc612_0000 | low).to_string(), ["16", "24", "28"])
            }
        };
        match form.prefix {
            true => format!("{address}/{}", self.dice.one_of(&prefix)),
            false => address,
        }
    }

    /// Draws a locally administered hardware address, which no manufacturer assigns.
    pub(crate) fn mac_like(&mut self, form: MacForm) -> String {
        let mut bytes: [u8; 6] = self.dice.bytes();
        bytes[0] = (bytes[0] & 0b1111_1100) | 0b10;
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let size = if form.separator == "." { 4 } else { 2 };
        let address = grouped(&digits, &vec![size; 12 / size], form.separator);
        if form.upper { address.to_uppercase() } else { address }
    }

    /// Draws an IMEI in the same groups, with its check digit. An IMEI of 16 digits has none.
    pub(crate) fn imei_like(&mut self, pattern: &Pattern) -> String {
        let body = self.dice.fill("35############");
        match pattern.classes().as_str() {
            "999999999999999" => pattern.pour(&format!("{body}{}", luhn(&body))),
            "9999999999999999" => pattern.pour(&format!("{body}{}", self.dice.fill("##"))),
            _ => format!("{body}{}", luhn(&body)),
        }
    }

    /// Draws the user agent of a browser. Shorter ones of other programs are not drawn.
    pub(crate) fn browser(&mut self) -> String {
        self.until(Generator::user_agent, |agent| agent.contains('('))
            .unwrap_or_else(|| "Mozilla/5.0 (X11; Linux x86_64)".to_owned())
    }

    pub(crate) fn user_agent(&mut self) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::generator;

    #[test]
    fn ip_addresses_parse() {
        let mut generator = generator(1);
        for _ in 0..300 {
            let (four, six) = (generator.ip(), generator.ipv6());
            four.split('/').next().unwrap().parse::<Ipv4Addr>().unwrap();
            six.parse::<Ipv6Addr>().unwrap();
        }
    }

    #[test]
    fn user_agents_are_filled_in() {
        let mut generator = generator(3);
        assert!((0..300).all(|_| !generator.user_agent().contains(['#', '%'])));
    }

    #[test]
    fn surrogates_use_reserved_addresses() {
        let mut generator = generator(4);
        for _ in 0..200 {
            let four = generator.ip_like(IpForm { six: false, prefix: false }).parse::<Ipv4Addr>().unwrap();
            assert!(matches!(four.octets(), [198, 18 | 19, ..]), "{four}");
            let six = generator.ip_like(IpForm { six: true, prefix: true });
            let (address, prefix) = six.split_once('/').unwrap();
            assert_eq!(address.parse::<Ipv6Addr>().unwrap().segments()[..2], [0x2001, 0xdb8]);
            assert!(prefix.parse::<u8>().is_ok());
            for text in ["00:1A:2B:3C:4D:5E", "001a.2b3c.4d5e", "00-1a-2b-3c-4d-5e"] {
                let mac = generator.mac_like(MacForm::of(text));
                assert_eq!(mac.len(), text.len());
                let first = u8::from_str_radix(&mac[..2], 16).unwrap();
                assert_eq!(first & 0b11, 0b10, "{mac}");
            }
        }
    }

    #[test]
    fn surrogates_of_imeis_pass_their_check() {
        let mut generator = generator(5);
        for text in ["490154203237518", "49-015420-323751-8", "no number"] {
            let drawn = generator.imei_like(&Pattern::of(text, "#"));
            let digits: String = drawn.chars().filter(char::is_ascii_digit).collect();
            assert_eq!(luhn(&digits[..14]).to_string(), digits[14..], "{drawn}");
        }
    }
}
