//! Forms of network addresses.

/// The form of a web address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct UrlForm {
    /// The scheme with `://`, or nothing.
    pub(crate) scheme: &'static str,
    pub(crate) path: bool,
}

impl UrlForm {
    pub(crate) fn of(text: &str) -> Self {
        let text = text.trim();
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => ("http://", rest),
            Some((_, rest)) => ("https://", rest),
            None => ("", text),
        };
        UrlForm { scheme, path: rest.trim_end_matches('/').contains(['/', '?', '#']) }
    }
}

/// The form of an IP address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct IpForm {
    pub(crate) six: bool,
    /// Whether a prefix length follows.
    pub(crate) prefix: bool,
}

impl IpForm {
    pub(crate) fn of(text: &str) -> Self {
        IpForm { six: text.matches(':').count() > 1, prefix: text.contains('/') }
    }
}

/// The form of a hardware address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MacForm {
    /// The separator between pairs of digits, or between groups of four if it is a dot.
    pub(crate) separator: &'static str,
    pub(crate) upper: bool,
}

impl MacForm {
    pub(crate) fn of(text: &str) -> Self {
        let separator = [":", "-", "."].into_iter().find(|separator| text.contains(separator));
        let separator = separator.unwrap_or(if text.trim().is_empty() { ":" } else { "" });
        MacForm { separator, upper: !text.contains(|c: char| c.is_ascii_lowercase()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_network_addresses() {
        assert_eq!(UrlForm::of("https://a.org/x?y"), UrlForm::of("ftp://b.net/z"));
        assert_eq!(UrlForm::of("a.org"), UrlForm { scheme: "", path: false });
        assert!(!UrlForm::of("http://a.org/").path);
        assert_eq!(IpForm::of("10.0.0.1"), IpForm::of("192.0.2.77"));
        assert_eq!(IpForm::of("2001:db8::/32"), IpForm { six: true, prefix: true });
        assert_eq!(MacForm::of("00:1A:2B:3C:4D:5E"), MacForm { separator: ":", upper: true });
        assert_eq!(MacForm::of("001a.2b3c.4d5e"), MacForm { separator: ".", upper: false });
    }
}
