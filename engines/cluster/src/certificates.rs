//! The files of a cluster: certificates, and the key that clients and executors share.

use std::path::{Path, PathBuf};

use inkveil::files::{create_private_folder, write_private};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

use crate::seal::SealKey;
use crate::told::{Error, refused};
use crate::transport::Transport;

const CA: &str = "ca.pem";
const CERTIFICATE: &str = "certificate.pem";
const KEY: &str = "key.pem";
const SHARED: &str = "shared.key";

/// What a program does in a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It distributes tasks.
    Scheduler,
    /// It runs tasks.
    Executor,
    /// It sends queries.
    Client,
}

impl Role {
    const ALL: [Self; 3] = [Self::Scheduler, Self::Executor, Self::Client];

    /// The name of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scheduler => "scheduler",
            Self::Executor => "executor",
            Self::Client => "client",
        }
    }

    /// The name in its certificate.
    pub(crate) fn domain(self) -> String {
        format!("{}.inkveil-cluster.internal", self.name())
    }

    /// What its certificate is for.
    fn purposes(self) -> Vec<ExtendedKeyUsagePurpose> {
        match self {
            Self::Scheduler => vec![ExtendedKeyUsagePurpose::ServerAuth],
            Self::Executor => vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth],
            Self::Client => vec![ExtendedKeyUsagePurpose::ClientAuth],
        }
    }

    /// Whether it may read the keys of queries.
    fn has_key(self) -> bool {
        self != Self::Scheduler
    }
}

/// Writes what a cluster needs: a folder for each role with the certificate of the cluster, a certificate of its own with
/// its key, and the shared key if the role may read the keys of queries. The key that signs certificates is not kept, so
/// nobody can add a machine with another certificate later.
///
/// # Errors
/// If the folder exists and is not empty, or cannot be written.
pub fn make_certificates(folder: &Path) -> Result<(), Error> {
    if !inkveil::files::entries_of(folder)?.is_empty() {
        return Err(refused(format!("{} is not empty; name a new folder", folder.display())));
    }
    create_private_folder(folder)?;
    let wrong = |_: rcgen::Error| refused("the certificates cannot be made");
    let key = KeyPair::generate().map_err(wrong)?;
    let mut params = CertificateParams::new(Vec::<String>::new()).map_err(wrong)?;
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.distinguished_name.push(DnType::CommonName, "inkveil cluster");
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let ca = params.self_signed(&key).map_err(wrong)?;
    let issuer = Issuer::new(params, key);
    for role in Role::ALL {
        let of_role = folder.join(role.name());
        create_private_folder(&of_role)?;
        let key = KeyPair::generate().map_err(wrong)?;
        let mut params = CertificateParams::new(vec![role.domain()]).map_err(wrong)?;
        params.distinguished_name.push(DnType::CommonName, role.domain());
        params.use_authority_key_identifier_extension = true;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = role.purposes();
        let certificate = params.signed_by(&key, &issuer).map_err(wrong)?;
        let secret = inkveil::privacy::Secret::new(key.serialize_pem());
        write_private(&of_role.join(CA), ca.pem().as_bytes(), false)?;
        write_private(&of_role.join(CERTIFICATE), certificate.pem().as_bytes(), false)?;
        write_private(&of_role.join(KEY), secret.expose().as_bytes(), false)?;
    }
    let shared = folder.join(Role::Client.name()).join(SHARED);
    SealKey::create_file(&shared)?;
    let text = inkveil::privacy::Secret::new(
        std::fs::read(&shared).map_err(|_| refused(format!("cannot read {}", shared.display())))?,
    );
    Ok(write_private(&folder.join(Role::Executor.name()).join(SHARED), text.expose(), false)?)
}

/// The files of one role.
pub struct RoleFiles {
    pub(crate) transport: Transport,
    key: Option<SealKey>,
}

impl RoleFiles {
    /// Reads the folder of a role. `folder` is that folder, or the one above it. Without a folder, connections are not
    /// encrypted and stay on this machine; `key` is then the file with the shared key.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn open(folder: Option<&Path>, key: Option<&Path>, role: Role) -> Result<Self, Error> {
        let Some(folder) = folder else {
            let key = key.filter(|_| role.has_key()).map(SealKey::open).transpose()?;
            return Ok(Self { transport: Transport::unencrypted(), key });
        };
        let above = folder.join(role.name());
        let folder = if above.is_dir() { above } else { folder.to_owned() };
        let read = |name: &str| read(folder.join(name));
        let transport = Transport::encrypted(&read(CA)?, &read(CERTIFICATE)?, &read(KEY)?);
        let key = match role.has_key() {
            true => Some(SealKey::open(&folder.join(SHARED))?),
            false => None,
        };
        Ok(Self { transport, key })
    }

    /// Its transport and the shared key.
    pub(crate) fn with_key(self) -> Result<(Transport, SealKey), Error> {
        match self.key {
            Some(key) => Ok((self.transport, key)),
            None => Err(refused(
                "clients and executors need the key that they share; name the files of the cluster with --cluster, or a key \
                 with --key",
            )),
        }
    }
}

impl std::fmt::Debug for RoleFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RoleFiles")
    }
}

fn read(path: PathBuf) -> Result<inkveil::privacy::Secret<Vec<u8>>, Error> {
    let bytes = std::fs::read(&path).map_err(|_| {
        refused(format!(
            "cannot read {}; make the files of a cluster with `inkveil-cluster certificates`",
            path.display()
        ))
    })?;
    Ok(inkveil::privacy::Secret::new(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_gets_no_key_and_nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let cluster = folder.path().join("cluster");
        make_certificates(&cluster).unwrap();
        assert!(!cluster.join("scheduler").join(SHARED).exists());
        let shared = |role: &str| std::fs::read(cluster.join(role).join(SHARED)).unwrap();
        assert_eq!(shared("client"), shared("executor"));
        assert!(make_certificates(&cluster).is_err());
        for role in Role::ALL {
            let files = RoleFiles::open(Some(&cluster), None, role).unwrap();
            assert_eq!(files.with_key().is_ok(), role.has_key());
        }
        std::fs::remove_file(cluster.join("executor").join(KEY)).unwrap();
        assert!(RoleFiles::open(Some(&cluster), None, Role::Executor).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_reads_the_files() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let cluster = folder.path().join("cluster");
        make_certificates(&cluster).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&cluster), 0o700);
        for name in [CA, CERTIFICATE, KEY, SHARED] {
            assert_eq!(mode(&cluster.join("executor").join(name)), 0o600);
        }
    }
}
