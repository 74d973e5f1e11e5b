//! The reason for a failed request, in this program's words. Messages of the HTTP library may
//! contain addresses, and those of a server may contain anything.

use std::io;
use std::time::Duration;

use crate::ErrorKind;

/// A failed request.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: ErrorKind,
    /// Whether a retry may succeed.
    pub(super) is_transient: bool,
    /// The pause that the server asked for.
    pub(super) retry_after: Option<Duration>,
}

impl Failure {
    /// A failure that a retry will not fix.
    pub(super) fn permanent(kind: ErrorKind) -> Self {
        Failure { kind, is_transient: false, retry_after: None }
    }

    /// A response with another status than 200. `retry_after` is the header of that name.
    pub(super) fn status(status: u16, retry_after: Option<&str>, model: &str) -> Self {
        let advice = match status {
            300..=399 => return Self::permanent(ErrorKind::Redirected { status }),
            401 | 403 => return Self::permanent(ErrorKind::Unauthorised { status }),
            404 => return Self::permanent(ErrorKind::NotFound { model: model.to_owned() }),
            400 | 422 => {
                "it rejected the request: the text may be too long for the model, or the model may not support one of the settings"
            }
            402 => "the account has no credit left; add credit or use another key",
            405 => "this path does not accept requests; check that the address ends in /v1",
            407 => "check the user name and password of the proxy",
            413 => "the text is too long; divide it",
            429 => "it is overloaded, or the account's limit is reached; wait and try again",
            500..=599 => "the server has an internal problem; check its log or try again later",
            _ => "check that the address is that of a language model",
        };
        Failure {
            kind: ErrorKind::Status { status, advice },
            is_transient: matches!(status, 429 | 500..=599),
            retry_after: retry_after.and_then(|seconds| seconds.trim().parse().ok()).map(Duration::from_secs),
        }
    }

    /// A failure of the HTTP library.
    pub(super) fn of(error: ureq::Error, timeout: Duration) -> Self {
        use ureq::{Error as E, Timeout};
        let reason = match error {
            E::BodyExceedsLimit(limit) => return Self::permanent(ErrorKind::AnswerTooLong { limit }),
            E::Protocol(_) | E::LargeResponseHeader(..) => {
                return Self::permanent(ErrorKind::NotAnAnswer { what: "is not HTTP" });
            }
            E::Rustls(_) | E::Tls(_) => return Self::permanent(ErrorKind::Untrusted),
            E::Timeout(Timeout::Resolve | Timeout::Connect) => "the connection attempt timed out".to_owned(),
            E::Timeout(_) => return Self::permanent(ErrorKind::TimedOut { after: timeout }),
            E::Io(error) => match error.kind() {
                io::ErrorKind::TimedOut => return Self::permanent(ErrorKind::TimedOut { after: timeout }),
                // Errors of the encryption layer arrive through the socket.
                io::ErrorKind::InvalidData => return Self::permanent(ErrorKind::Untrusted),
                io::ErrorKind::UnexpectedEof => "the connection was closed early".to_owned(),
                kind => match error.raw_os_error() {
                    Some(code) => io::Error::from_raw_os_error(code).to_string(),
                    None => kind.to_string(),
                },
            },
            E::HostNotFound => {
                let reason = "its host was not found".to_owned();
                return Self::permanent(ErrorKind::Unreachable { reason });
            }
            E::ConnectProxyFailed(_) | E::InvalidProxyUrl => "the proxy refused".to_owned(),
            _ => "the request could not be sent".to_owned(),
        };
        Failure { kind: ErrorKind::Unreachable { reason }, is_transient: true, retry_after: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transient_failures_are_retried() {
        for (status, passes) in
            [(400, false), (401, false), (404, false), (307, false), (429, true), (503, true)]
        {
            assert_eq!(Failure::status(status, None, "m").is_transient, passes, "{status}");
        }
        let wait = |text| Failure::status(429, Some(text), "m").retry_after;
        assert_eq!(wait(" 2 "), Some(Duration::from_secs(2)));
        // A date is also allowed in this header and is ignored.
        assert_eq!((wait("Thu, 01 Jan 2026 00:00:00 GMT"), wait("-1")), (None, None));
    }

    #[test]
    fn foreign_messages_are_dropped() {
        for error in [
            ureq::Error::BadUri("secret".into()),
            ureq::Error::Io(io::Error::other("secret")),
            ureq::Error::ConnectProxyFailed("secret".into()),
        ] {
            let failure = Failure::of(error, Duration::from_secs(1));
            assert!(!format!("{} {failure:?}", failure.kind).contains("secret"));
        }
    }
}
