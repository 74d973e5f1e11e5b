//! Why a request failed, in words of this program: those of the library may hold addresses, those of a server anything.

use std::io;
use std::time::Duration;

use crate::ErrorKind;

/// A request that failed.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: ErrorKind,
    /// Whether to try again.
    pub(super) may_pass: bool,
    /// How long the server wants to be left alone.
    pub(super) wait: Option<Duration>,
}

impl Failure {
    /// One that will not pass.
    pub(super) fn lasting(kind: ErrorKind) -> Self {
        Failure { kind, may_pass: false, wait: None }
    }

    /// A server that answers with another status than 200; `wait` is what it says about when to come back.
    pub(super) fn status(status: u16, wait: Option<&str>, model: &str) -> Self {
        let advice = match status {
            300..=399 => return Self::lasting(ErrorKind::Redirected { status }),
            401 | 403 => return Self::lasting(ErrorKind::Unauthorised { status }),
            404 => return Self::lasting(ErrorKind::NotFound { model: model.to_owned() }),
            400 | 422 => {
                "it does not accept the request: the text may be too long for the model, or the model may not know one of the settings"
            }
            402 => "the account has no credit left; add some, or use another key",
            405 => "nothing can be asked at this path; check that the address ends in /v1",
            407 => "check the user and password of the proxy",
            413 => "the text is too long for it; divide it",
            429 => "it has too much to do, or the account's limit is reached; wait and try again",
            500..=599 => "it is in trouble; look at its log, or try again later",
            _ => "check that the address is that of a language model",
        };
        Failure {
            kind: ErrorKind::Status { status, advice },
            may_pass: matches!(status, 429 | 500..=599),
            wait: wait.and_then(|seconds| seconds.trim().parse().ok()).map(Duration::from_secs),
        }
    }

    /// A failure of the library that sends.
    pub(super) fn of(error: ureq::Error, timeout: Duration) -> Self {
        use ureq::{Error as E, Timeout};
        let reason = match error {
            E::BodyExceedsLimit(limit) => return Self::lasting(ErrorKind::AnswerTooLong { limit }),
            E::Protocol(_) | E::LargeResponseHeader(..) => {
                return Self::lasting(ErrorKind::NotAnAnswer { what: "is not HTTP" });
            }
            E::Rustls(_) | E::Tls(_) => return Self::lasting(ErrorKind::Untrusted),
            E::Timeout(Timeout::Resolve | Timeout::Connect) => "nobody answers at its port".to_owned(),
            E::Timeout(_) => return Self::lasting(ErrorKind::TimedOut { after: timeout }),
            E::Io(error) => match error.kind() {
                io::ErrorKind::TimedOut => return Self::lasting(ErrorKind::TimedOut { after: timeout }),
                // What the encryption refused comes through the socket.
                io::ErrorKind::InvalidData => return Self::lasting(ErrorKind::Untrusted),
                io::ErrorKind::UnexpectedEof => "the connection was cut".to_owned(),
                kind => match error.raw_os_error() {
                    Some(code) => io::Error::from_raw_os_error(code).to_string(),
                    None => kind.to_string(),
                },
            },
            E::HostNotFound => {
                let reason = "its host was not found".to_owned();
                return Self::lasting(ErrorKind::Unreachable { reason });
            }
            E::ConnectProxyFailed(_) | E::InvalidProxyUrl => "the proxy refused".to_owned(),
            _ => "the request could not be sent".to_owned(),
        };
        Failure { kind: ErrorKind::Unreachable { reason }, may_pass: true, wait: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_tried_again() {
        for (status, passes) in
            [(400, false), (401, false), (404, false), (307, false), (429, true), (503, true)]
        {
            assert_eq!(Failure::status(status, None, "m").may_pass, passes, "{status}");
        }
        let wait = |text| Failure::status(429, Some(text), "m").wait;
        assert_eq!(wait(" 2 "), Some(Duration::from_secs(2)));
        // A date, which may be given as well, is not looked at.
        assert_eq!((wait("Thu, 01 Jan 2026 00:00:00 GMT"), wait("-1")), (None, None));
    }

    #[test]
    fn foreign_words_are_dropped() {
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
