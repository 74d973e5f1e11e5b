//! Connections need a certificate of the cluster on both sides.

use std::time::Duration;

use arrow_flight::Criteria;
use arrow_flight::flight_service_client::FlightServiceClient;
use ballista_core::serde::protobuf::GetJobStatusParams;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use tonic::Code;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};

use crate::processes::{Server, TestCluster, certificates, failure, mails, run};

/// Who connects.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Who {
    Own,
    Plain,
    NoCertificate,
    OtherCluster,
    /// The certificate of the scheduler is that of a server only.
    SchedulerCertificate,
}

fn endpoint(address: &str, server: &str, who: Who, own: &str, other: &str) -> Endpoint {
    let timeout = Duration::from_secs(20);
    if who == Who::Plain {
        return Endpoint::from_shared(format!("http://{address}")).unwrap().timeout(timeout);
    }
    let read = |path: String| std::fs::read(path).unwrap();
    let mut tls = ClientTlsConfig::new()
        .ca_certificate(Certificate::from_pem(read(format!("{own}/client/ca.pem"))))
        .domain_name(format!("{server}.inkveil-cluster.internal"));
    let folder = match who {
        Who::Own => Some(format!("{own}/client")),
        Who::OtherCluster => Some(format!("{other}/client")),
        Who::SchedulerCertificate => Some(format!("{own}/scheduler")),
        _ => None,
    };
    if let Some(folder) = folder {
        let pem = |name| read(format!("{folder}/{name}.pem"));
        tls = tls.identity(Identity::from_pem(pem("certificate"), pem("key")));
    }
    Endpoint::from_shared(format!("https://{address}")).unwrap().timeout(timeout).tls_config(tls).unwrap()
}

async fn asks_scheduler(channel: Channel) -> Result<(), Code> {
    let mut client = SchedulerGrpcClient::new(channel);
    let asked = client.get_job_status(GetJobStatusParams { job_id: "none".to_owned() }).await;
    asked.map(drop).map_err(|status| status.code())
}

async fn asks_executor(channel: Channel) -> Result<(), Code> {
    match FlightServiceClient::new(channel).list_flights(Criteria::default()).await {
        // It answered.
        Err(status) if status.code() == Code::Unimplemented => Ok(()),
        Err(status) => Err(status.code()),
        Ok(_) => Err(Code::Ok),
    }
}

#[test]
fn both_servers_answer_only_to_certificates_of_the_cluster() {
    let cluster = TestCluster::start(1);
    let other = cluster.path("other");
    certificates(&other);
    let (own, other) = (cluster.files(), other.to_str().unwrap().to_owned());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for who in [Who::Own, Who::Plain, Who::NoCertificate, Who::OtherCluster, Who::SchedulerCertificate] {
        let (scheduler, executor) = (&cluster.scheduler.address, &cluster.executors[0].address);
        let asked = runtime.block_on(async {
            let of_scheduler = endpoint(scheduler, "scheduler", who, &own, &other).connect().await;
            let of_executor = endpoint(executor, "executor", who, &own, &other).connect().await;
            let mut answers = Vec::new();
            answers.push(match of_scheduler {
                Ok(channel) => asks_scheduler(channel).await.is_ok(),
                Err(_) => false,
            });
            answers.push(match of_executor {
                Ok(channel) => asks_executor(channel).await.is_ok(),
                Err(_) => false,
            });
            answers
        });
        assert_eq!(asked, [who == Who::Own; 2], "{who:?}");
    }
}

#[test]
fn clients_and_executors_refuse_servers_of_another_cluster() {
    let cluster = TestCluster::start(1);
    let table = cluster.path("mails.parquet");
    mails(&table, 10, 5);
    let other = cluster.path("other");
    certificates(&other);
    let (other, table) = (other.to_str().unwrap(), format!("mails={}", table.to_str().unwrap()));
    let key = format!("{}/client/shared.key", cluster.files());
    let output = cluster.path("out.csv");
    let common =
        ["sql", "--scheduler", &cluster.scheduler.address, "--table", &table, "-o", output.to_str().unwrap()];
    for files in [["--cluster", other], ["--key", &key]] {
        let done = run(&[&common[..], &files, &["-c", "SELECT veil(body, id) AS v FROM mails"]].concat());
        let said = failure(&done);
        assert!(
            said.contains("cannot connect to the scheduler") || said.contains("does not answer"),
            "{said}"
        );
        assert!(!output.exists());
    }
}

#[test]
fn without_certificates_servers_listen_on_this_machine_only() {
    let folder = tempfile::tempdir().unwrap();
    certificates(&folder.path().join("cluster"));
    let key = folder.path().join("cluster/executor/shared.key");
    let key = key.to_str().unwrap();
    let said = failure(&run(&["scheduler", "--bind", "0.0.0.0:0"]));
    assert!(said.contains("--cluster"), "{said}");
    let at = ["executor", "--key", key, "--scheduler"];
    for (scheduler, bind) in [("127.0.0.1:1", "0.0.0.0:0"), ("127.0.0.1:1", "[::]:0")] {
        let said = failure(&run(&[&at[..], &[scheduler, "--bind", bind]].concat()));
        assert!(said.contains("--cluster"), "{said}");
    }
    // On this machine it works, and the key of the noise is encrypted all the same.
    let scheduler = Server::start(&["scheduler", "--bind", "127.0.0.1:0"]);
    let work = folder.path().join("work");
    let more = [scheduler.address.as_str(), "--bind", "127.0.0.1:0", "--work", work.to_str().unwrap()];
    let _executor = Server::start(&[&at[..], &more].concat());
    let table = folder.path().join("mails.parquet");
    mails(&table, 10, 5);
    let (table, output) = (format!("mails={}", table.to_str().unwrap()), folder.path().join("out.csv"));
    let sql =
        ["sql", "--scheduler", &scheduler.address, "--key", key, "--table", &table, "--set", "tier=rules"];
    let more = ["-c", "SELECT veil(body, id) AS v FROM mails", "-o", output.to_str().unwrap()];
    let done = run(&[&sql[..], &more].concat());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    // A key is needed, and another key is refused by the executor.
    let other = folder.path().join("other");
    certificates(&other);
    let other = other.join("client/shared.key");
    let sql = ["sql", "--scheduler", &scheduler.address, "--key", other.to_str().unwrap(), "--table", &table];
    let said = failure(&run(&[&sql[..], &["--force", "--set", "tier=rules"], &more].concat()));
    assert!(said.contains("different keys"), "{said}");
    let said = failure(&run(&[
        "sql",
        "--scheduler",
        &scheduler.address,
        "--table",
        &table,
        more[0],
        more[1],
        more[2],
        more[3],
    ]));
    assert!(said.contains("--key"), "{said}");
}
