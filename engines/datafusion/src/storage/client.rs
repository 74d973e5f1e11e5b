//! Opens a bucket with the credentials of the environment.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::{BackoffConfig, ObjectStore, RetryConfig};
use url::{Host, Url};

use super::address::Address;
use super::http::Connector;
use crate::error::{Error, refused};

/// How often a request is repeated, and for how long.
const RETRIES: usize = 5;
const RETRY_TIME: Duration = Duration::from_secs(60);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Opens the bucket of an address.
///
/// # Errors
/// If the environment has no credentials, or an endpoint that is neither encrypted nor on this machine.
pub(crate) fn store(address: &Address) -> Result<Arc<dyn ObjectStore>, Error> {
    open(address.bucket(), |name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

fn open(bucket: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Arc<dyn ObjectStore>, Error> {
    let mut builder = AmazonS3Builder::new().with_bucket_name(bucket).with_retry(RetryConfig {
        backoff: BackoffConfig { max_backoff: LONGEST_PAUSE, ..BackoffConfig::default() },
        max_retries: RETRIES,
        retry_timeout: RETRY_TIME,
    });
    let region = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION"));
    builder = builder.with_region(region.unwrap_or_else(|| "us-east-1".to_owned()));
    let mut is_here = false;
    if let Some(given) = variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL")) {
        let endpoint = Endpoint::parse(&given)?;
        is_here = endpoint.is_here;
        builder = builder.with_endpoint(endpoint.url).with_allow_http(is_here);
    }
    builder = match (variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY")) {
        (Some(id), Some(secret)) => {
            let builder = builder.with_access_key_id(id).with_secret_access_key(secret);
            match variable("AWS_SESSION_TOKEN") {
                Some(token) => builder.with_token(token),
                None => builder,
            }
        }
        _ => {
            return Err(refused(
                "there are no credentials for the object storage: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the \
                 environment",
            ));
        }
    };
    let store = builder.with_http_connector(Connector { is_here }).build();
    // The message of the builder may quote what it was given.
    let store = store.map_err(|_| {
        refused("the object storage cannot be opened; check AWS_ENDPOINT_URL, AWS_REGION and the certificates of the system")
    })?;
    Ok(Arc::new(store))
}

/// Where the object storage answers.
struct Endpoint {
    url: String,
    /// Whether it is on this machine, so that nobody else sees what is sent without encryption.
    is_here: bool,
}

impl Endpoint {
    fn parse(given: &str) -> Result<Self, Error> {
        const WRONG: &str = "AWS_ENDPOINT_URL is an address such as https://storage.example.org, without a user, a password or a \
                             query";
        let url = Url::parse(given).map_err(|_| refused(WRONG))?;
        let has_more = !url.username().is_empty()
            || url.password().is_some()
            || url.query().is_some()
            || url.fragment().is_some();
        if has_more || url.host().is_none() {
            return Err(refused(WRONG));
        }
        let is_local = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        match url.scheme() {
            "https" => Ok(Self { url: given.to_owned(), is_here: false }),
            "http" if is_local => Ok(Self { url: given.to_owned(), is_here: true }),
            "http" => Err(refused(
                "AWS_ENDPOINT_URL is not encrypted: everybody on the way could read the rows; use https://, or an endpoint on \
                 this machine",
            )),
            _ => Err(refused(WRONG)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed step is a failed test
    use super::*;

    const KEYS: [(&str, &str); 2] = [("AWS_ACCESS_KEY_ID", "an-id"), ("AWS_SECRET_ACCESS_KEY", "hunter2")];

    fn opened(more: &[(&str, &str)]) -> Result<Arc<dyn ObjectStore>, Error> {
        let all: Vec<_> = KEYS.iter().chain(more).copied().collect();
        open("lake", |name| all.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn only_an_endpoint_on_this_machine_may_be_unencrypted() {
        for right in [
            "https://storage.example.org",
            "http://127.0.0.1:9000",
            "http://[::1]:9000",
            "http://localhost:1",
        ] {
            assert!(opened(&[("AWS_ENDPOINT_URL", right)]).is_ok(), "{right}");
        }
        for wrong in [
            "http://storage.example.org",
            "http://10.0.0.1:9000",
            "http://localhost.example.org",
            "http://127.0.0.1@example.org/",
            "https://id:hunter2@example.org",
            "https://example.org/?hunter2",
            "ftp://127.0.0.1",
            "hunter2",
        ] {
            let message = opened(&[("AWS_ENDPOINT_URL", wrong)]).unwrap_err().to_string();
            assert!(
                message.contains("AWS_ENDPOINT_URL") && !message.contains("hunter2"),
                "{wrong}: {message}"
            );
        }
        // The one for S3 counts, as in other tools.
        let both = [("AWS_ENDPOINT_URL_S3", "http://10.0.0.1"), ("AWS_ENDPOINT_URL", "http://127.0.0.1")];
        assert!(opened(&both).is_err());
    }

    #[test]
    fn credentials_come_from_the_environment_or_not_at_all() {
        assert!(opened(&[]).is_ok());
        for missing in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
            let message = open("lake", |name| {
                (name != missing).then(|| "hunter2".to_owned()).filter(|_| name.contains("KEY"))
            })
            .unwrap_err()
            .to_string();
            assert!(message.contains("no credentials") && !message.contains("hunter2"), "{message}");
        }
    }
}
