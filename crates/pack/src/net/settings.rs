//! Network settings: index, hub, proxies, certificates, timeouts, offline mode.

use std::path::PathBuf;
use std::time::Duration;

use crate::environment::Environment;
use crate::index::PipConfig;

/// How long to wait for a server, and how often to repeat a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// The longest time without an answer. Over this time, a server must also send at least one kilobyte per second.
    pub timeout: Duration,
    /// The number of attempts in total, as long as none makes progress.
    pub attempts: u32,
    /// The pause before the second attempt. Each further pause is twice as long.
    pub pause: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(30), attempts: 5, pause: Duration::from_millis(500) }
    }
}

impl RetryPolicy {
    /// A policy from its parts.
    pub fn new(timeout: Duration, attempts: u32, pause: Duration) -> Self {
        Self { timeout, attempts: attempts.max(1), pause }
    }
}

/// Network settings, by default those of the user's environment and of pip's configuration.
///
/// | setting | source |
/// |---|---|
/// | Python index | [`with_index`](Self::with_index), `INKVEIL_INDEX_URL`, `PIP_INDEX_URL`, `UV_DEFAULT_INDEX`, `UV_INDEX_URL`, pip's configuration files, the default of the installed pip |
/// | no index | `PIP_NO_INDEX`, pip's `no-index` |
/// | hub | `HF_ENDPOINT`, `HF_TOKEN`, the token file in `HF_HOME` |
/// | offline | [`with_offline`](Self::with_offline), `INKVEIL_OFFLINE`, `HF_HUB_OFFLINE` |
/// | certificates | the platform's, and the PEM files `PIP_CERT`, `SSL_CERT_FILE`, `REQUESTS_CA_BUNDLE`, pip's `cert` |
/// | proxies | `PIP_PROXY`, pip's `proxy`, `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY` |
/// | passwords | the address itself, and `~/.netrc` (or `NETRC`) |
/// | timeout | `PIP_DEFAULT_TIMEOUT`, pip's `timeout`, or 30 seconds |
/// | retries | `PIP_RETRIES`, pip's `retries`, or 4 |
///
/// ```
/// use inkveil_pack::{Environment, NetworkSettings};
///
/// let settings = NetworkSettings::new(Environment::fixed([("INKVEIL_OFFLINE", "1")]));
/// assert!(settings.is_offline());
/// ```
#[derive(Debug, Clone)]
pub struct NetworkSettings {
    pub(crate) environment: Environment,
    pub(crate) pip: PipConfig,
    pub(crate) index: Option<String>,
    pub(crate) retry: RetryPolicy,
    offline: bool,
}

impl NetworkSettings {
    /// Reads the settings from an environment and from pip's configuration files.
    pub fn new(environment: Environment) -> Self {
        let pip = PipConfig::read(&environment);
        let number = |variable: &str, key: &str| {
            environment.text(variable).or_else(|| pip.get(key).map(str::to_owned))
        };
        let seconds = number("PIP_DEFAULT_TIMEOUT", "timeout")
            .and_then(|text| text.trim().parse::<f64>().ok())
            .filter(|seconds| (0.1..=86_400.0).contains(seconds));
        let usual = RetryPolicy::default();
        let timeout = seconds.map_or(usual.timeout, Duration::from_secs_f64);
        let retries = number("PIP_RETRIES", "retries").and_then(|text| text.trim().parse::<u32>().ok());
        let attempts = retries.map_or(usual.attempts, |retries| retries.min(100) + 1);
        let offline = environment.switch("INKVEIL_OFFLINE") || environment.switch("HF_HUB_OFFLINE");
        Self { environment, pip, index: None, retry: RetryPolicy { timeout, attempts, ..usual }, offline }
    }

    /// Sets the Python index. It takes precedence over the environment.
    pub fn with_index(mut self, url: Option<String>) -> Self {
        self.index = url.or(self.index);
        self
    }

    /// Forbids the network if `offline` is true. The environment may forbid it too.
    pub fn with_offline(mut self, offline: bool) -> Self {
        self.offline |= offline;
        self
    }

    /// Sets the timeout and the retries.
    pub fn with_retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Whether the network may not be used.
    pub fn is_offline(&self) -> bool {
        self.offline
    }

    /// Files with certificates that are trusted in addition to the platform's.
    pub(crate) fn certificates(&self) -> Vec<PathBuf> {
        let variables = ["PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"];
        let mut files: Vec<PathBuf> = variables
            .iter()
            .filter_map(|name| self.environment.path(name))
            .chain(self.pip.get("cert").map(PathBuf::from))
            .collect();
        files.sort();
        files.dedup();
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_environment() {
        let settings =
            |variables: &[(&str, &str)]| NetworkSettings::new(Environment::fixed(variables.iter().copied()));
        assert_eq!(settings(&[("PIP_DEFAULT_TIMEOUT", "180")]).retry.timeout, Duration::from_secs(180));
        assert_eq!(settings(&[("PIP_RETRIES", "0")]).retry.attempts, 1);
        assert_eq!(settings(&[("PIP_RETRIES", "many")]).retry, RetryPolicy::default());
        for odd in ["0", "-1", "nan", "inf", "abc"] {
            assert_eq!(settings(&[("PIP_DEFAULT_TIMEOUT", odd)]).retry, RetryPolicy::default(), "{odd}");
        }
        assert!(settings(&[("HF_HUB_OFFLINE", "true")]).is_offline());
        assert!(!settings(&[("INKVEIL_OFFLINE", "0")]).is_offline());
        let files = settings(&[
            ("PIP_CERT", "/b.pem"),
            ("SSL_CERT_FILE", "/a.pem"),
            ("REQUESTS_CA_BUNDLE", "/b.pem"),
        ]);
        assert_eq!(files.certificates(), [PathBuf::from("/a.pem"), PathBuf::from("/b.pem")]);
    }
}
