//! Connections between the programs of a cluster. With certificates, both sides show one of the cluster. Without, they
//! stay on this machine.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::time::Duration;

use inkveil::privacy::Secret;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity, Server, ServerTlsConfig};

use crate::certificates::Role;
use crate::told::{Error, refused};

/// The largest message. Plans and the states of many tasks are long.
pub(crate) const LARGEST_MESSAGE: usize = 64 << 20;

/// How long a connection may take.
const CONNECTING: Duration = Duration::from_secs(10);
/// How often both sides ask whether the other one is there.
const ALIVE: Duration = Duration::from_secs(10);

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Address {
    pub(crate) fn new(host: &str, port: u16) -> Self {
        Self { host: host.to_owned(), port }
    }

    /// Whether it is on this machine, whatever a name server says.
    fn is_loopback(&self) -> bool {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "an address is HOST:PORT, for example 10.0.0.5:50050".to_owned();
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let is_host = |letter: char| letter.is_ascii_alphanumeric() || "-._:[]".contains(letter);
        match host.is_empty() || !host.chars().all(is_host) || host.contains(':') != host.starts_with('[') {
            true => Err(wrong()),
            false => Ok(Self::new(host, port.parse().map_err(|_| wrong())?)),
        }
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// How the programs of a cluster connect.
#[derive(Clone)]
pub(crate) struct Transport(Option<Tls>);

#[derive(Clone)]
struct Tls {
    ca: Certificate,
    identity: Identity,
}

impl Transport {
    /// Without encryption, on this machine.
    pub(crate) fn unencrypted() -> Self {
        Self(None)
    }

    /// With a certificate of the cluster on both sides.
    pub(crate) fn encrypted(
        ca: &Secret<Vec<u8>>,
        certificate: &Secret<Vec<u8>>,
        key: &Secret<Vec<u8>>,
    ) -> Self {
        let ca = Certificate::from_pem(ca.expose());
        let identity = Identity::from_pem(certificate.expose(), key.expose());
        Self(Some(Tls { ca, identity }))
    }

    /// Refuses an address of another machine without certificates.
    pub(crate) fn check(&self, address: &Address) -> Result<(), Error> {
        match self.0.is_some() || address.is_loopback() {
            true => Ok(()),
            false => Err(refused(format!(
                "{address} is not an address of this machine such as 127.0.0.1:50050, and connections to others are encrypted; \
                 name the files of the cluster with --cluster"
            ))),
        }
    }

    /// Listens. Returns the address with its port, too.
    pub(crate) async fn listen(&self, address: &Address) -> Result<(TcpListenerStream, SocketAddr), Error> {
        self.check(address)?;
        let failed = |_| refused(format!("cannot listen at {address}; another program may do so"));
        let listener = TcpListener::bind(address.to_string()).await.map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        // The name may have been that of another address.
        if self.0.is_none() && !bound.ip().is_loopback() {
            return Err(failed(std::io::ErrorKind::AddrNotAvailable.into()));
        }
        Ok((TcpListenerStream::new(listener), bound))
    }

    /// A server that asks for a certificate of the cluster.
    pub(crate) fn server(&self) -> Result<Server, Error> {
        let server =
            Server::builder().http2_keepalive_interval(Some(ALIVE)).http2_keepalive_timeout(Some(ALIVE));
        let Some(tls) = &self.0 else { return Ok(server) };
        // Without `client_auth_optional`, a connection without a certificate of this authority is refused.
        let config = ServerTlsConfig::new()
            .identity(tls.identity.clone())
            .client_ca_root(tls.ca.clone())
            .timeout(CONNECTING);
        server.tls_config(config).map_err(|_| damaged())
    }

    /// Connects to a server of the cluster.
    pub(crate) async fn connect(&self, address: &Address, role: Role) -> Result<Channel, Error> {
        let unreachable = |_| {
            let name = role.name();
            refused(match self.0 {
                Some(_) => format!(
                    "cannot connect to the {name} at {address}; it may not run, or it has certificates of another cluster"
                ),
                None => format!(
                    "cannot connect to the {name} at {address}; it may not run, or it asks for certificates"
                ),
            })
        };
        self.endpoint(address, role)?.connect().await.map_err(unreachable)
    }

    fn endpoint(&self, address: &Address, role: Role) -> Result<Endpoint, Error> {
        self.check(address)?;
        // The scheme decides about encryption.
        let scheme = if self.0.is_some() { "https" } else { "http" };
        let endpoint = Endpoint::from_shared(format!("{scheme}://{address}"))
            .map_err(|_| refused(format!("{address} is not an address")))?
            .connect_timeout(CONNECTING)
            .http2_keep_alive_interval(ALIVE)
            .keep_alive_timeout(ALIVE)
            .keep_alive_while_idle(true)
            .tcp_nodelay(true);
        let Some(tls) = &self.0 else { return Ok(endpoint) };
        let config = ClientTlsConfig::new()
            .ca_certificate(tls.ca.clone())
            .identity(tls.identity.clone())
            .domain_name(role.domain())
            .timeout(CONNECTING);
        endpoint.tls_config(config).map_err(|_| damaged())
    }
}

impl std::fmt::Debug for Transport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Transport(encrypted)" } else { "Transport(this machine)" })
    }
}

fn damaged() -> Error {
    refused("the certificates of the cluster are damaged; make new ones with `inkveil-cluster certificates`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_certificates_only_this_machine_is_reached() {
        let open = Transport::unencrypted();
        for address in ["127.0.0.1:1", "[::1]:1", "127.9.9.9:1"] {
            open.check(&address.parse().unwrap()).unwrap();
        }
        for address in ["0.0.0.0:1", "10.0.0.5:1", "[::]:1", "localhost:1", "example.org:1"] {
            assert!(open.check(&address.parse().unwrap()).is_err(), "{address}");
        }
        for address in ["", "a", ":1", "a:b", "a b:1", "a/b:1", "::1:1", "u@h:1"] {
            assert!(address.parse::<Address>().is_err(), "{address}");
        }
    }
}
