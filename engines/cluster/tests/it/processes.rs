//! Starts the programs of a cluster, and ends them with the test.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use datafusion::arrow::array::{Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::file::properties::WriterProperties;

/// A name that stands in every text, and in no message.
pub(crate) const NAME: &str = "Oostergaard";
/// How long a step may take.
const LIMIT: Duration = Duration::from_secs(180);

/// A server that is killed with the test.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    said: Arc<Mutex<String>>,
}

impl Server {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut child = command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let said = Arc::new(Mutex::new(String::new()));
        let lines = read(child.stderr.take().unwrap(), said.clone());
        let mut server = Self { child, address: String::new(), said };
        let begun = Instant::now();
        while begun.elapsed() < LIMIT {
            let Ok(line) = lines.recv_timeout(LIMIT) else { break };
            if let Some((_, address)) = line.split_once("listens at ") {
                server.address = address.trim().to_owned();
                return server;
            }
        }
        panic!("{arguments:?} does not listen: {}", server.said());
    }

    /// What it has written to standard error.
    pub(crate) fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    /// Kills it at once (kill -9).
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Asks it to stop, and waits.
    pub(crate) fn stop(&mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        let begun = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < LIMIT, "a server does not stop");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn read(from: impl std::io::Read + Send + 'static, said: Arc<Mutex<String>>) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            said.lock().unwrap().push_str(&format!("{line}\n"));
            let _ = sender.send(line);
        }
    });
    lines
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inkveil-cluster"));
    command.args(arguments).env_remove("INKVEIL_LEDGER").stdin(Stdio::null());
    command
}

/// Runs the program to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    begin(arguments).end()
}

/// Starts a program that ends by itself.
pub(crate) fn begin(arguments: &[&str]) -> Begun {
    Begun(Some(command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()))
}

/// A program that ends by itself.
pub(crate) struct Begun(Option<Child>);

impl Begun {
    /// Presses Ctrl-C.
    pub(crate) fn interrupt(&self) {
        let pid = self.0.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    }

    pub(crate) fn end(mut self) -> Output {
        let begun = Instant::now();
        let mut child = self.0.take().unwrap();
        while child.try_wait().unwrap().is_none() {
            if begun.elapsed() > LIMIT {
                let _ = child.kill();
                panic!("a command takes too long");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        child.wait_with_output().unwrap()
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// What a failed command says. It holds no text of a row.
pub(crate) fn failure(done: &Output) -> String {
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(!said.contains(NAME), "{said}");
    said
}

/// Waits until something is so.
pub(crate) fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LIMIT, "waited for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A cluster on this machine.
pub(crate) struct TestCluster {
    folder: tempfile::TempDir,
    pub(crate) scheduler: Server,
    pub(crate) executors: Vec<Server>,
}

impl TestCluster {
    /// A scheduler and a number of executors, with certificates.
    pub(crate) fn start(executors: usize) -> Self {
        Self::with(executors, &[])
    }

    pub(crate) fn with(executors: usize, more: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        certificates(&folder.path().join("cluster"));
        let files = folder.path().join("cluster").to_str().unwrap().to_owned();
        let scheduler =
            Server::start(&["scheduler", "--bind", "127.0.0.1:0", "--cluster", &files, "--lost-after", "10"]);
        let mut cluster = Self { folder, scheduler, executors: Vec::new() };
        (0..executors).for_each(|_| cluster.add_executor(more));
        cluster
    }

    pub(crate) fn add_executor(&mut self, more: &[&str]) {
        let work = self.work(self.executors.len());
        let files = self.files();
        let scheduler = self.scheduler.address.clone();
        let mut arguments = vec!["executor", "--scheduler", &scheduler, "--bind", "127.0.0.1:0"];
        arguments.extend(["--cluster", &files, "--work", work.to_str().unwrap()]);
        arguments.extend(more);
        let executor = Server::start(&arguments);
        self.executors.push(executor);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn files(&self) -> String {
        self.path("cluster").to_str().unwrap().to_owned()
    }

    /// The work folder of an executor.
    pub(crate) fn work(&self, executor: usize) -> PathBuf {
        self.path(&format!("work-{executor}"))
    }

    /// Whether an executor has begun a job.
    pub(crate) fn has_begun(&self, executor: usize) -> bool {
        entries(&self.work(executor)) > 0
    }

    /// The arguments of a query.
    pub(crate) fn arguments(&self, table: &Path, sql: &str, output: &str, more: &[&str]) -> Vec<String> {
        let table = format!("mails={}", table.to_str().unwrap());
        let output = self.path(output).to_str().unwrap().to_owned();
        let files = self.files();
        let mut arguments: Vec<String> =
            ["sql", "--scheduler", &self.scheduler.address, "--cluster", &files, "--table", &table]
                .map(str::to_owned)
                .to_vec();
        arguments.extend(
            ["--set", "insecure_seed=5", "--set", "tier=rules", "-c", sql, "-o", &output].map(str::to_owned),
        );
        arguments.extend(more.iter().map(|more| (*more).to_owned()));
        arguments
    }

    pub(crate) fn begin(&self, table: &Path, sql: &str, output: &str, more: &[&str]) -> Begun {
        let arguments = self.arguments(table, sql, output, more);
        begin(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Runs a query that succeeds, and returns the file.
    pub(crate) fn query(&self, table: &Path, sql: &str, output: &str, more: &[&str]) -> Vec<u8> {
        let done = self.begin(table, sql, output, more).end();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        std::fs::read(self.path(output)).unwrap()
    }

    /// Runs a query that fails, and returns what it says. Nothing is written.
    pub(crate) fn refuses(&self, table: &Path, sql: &str, more: &[&str]) -> String {
        let said = failure(&self.begin(table, sql, "refused.parquet", more).end());
        assert!(!self.path("refused.parquet").exists());
        said
    }

    /// Checks that no program has written a text of a row.
    pub(crate) fn check_silence(&self) {
        for server in self.executors.iter().chain([&self.scheduler]) {
            let said = server.said();
            assert!(!said.contains(NAME) && said.lines().count() <= 2, "{said}");
        }
    }
}

/// The number of jobs in a work folder.
pub(crate) fn entries(work: &Path) -> usize {
    let entries = std::fs::read_dir(work).map(|entries| entries.filter_map(Result::ok).collect::<Vec<_>>());
    let is_job = |entry: &std::fs::DirEntry| {
        entry.path().is_dir() && !entry.file_name().to_string_lossy().starts_with('.')
    };
    entries.unwrap_or_default().iter().filter(|entry| is_job(entry)).count()
}

/// Makes the files of a cluster.
pub(crate) fn certificates(folder: &Path) {
    let done = run(&["certificates", folder.to_str().unwrap()]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// A table of mails in small parts.
pub(crate) fn mails(path: &Path, rows: i64, part: usize) {
    let body = |row| {
        format!(
            "Dear Maria {NAME}, your order {row} for 42 Lake Road, Aarhus was paid with card 4111 1111 1111 1111 on 3 May 2024. \
             Call +45 20 12 34 {:02}, or write to maria.{row}@example.org.",
            row % 100
        )
    };
    let schema = Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int64, false),
        Field::new("body", DataType::Utf8, true),
        Field::new("city", DataType::Utf8, true),
        Field::new("size", DataType::Int64, true),
    ]));
    let batch = RecordBatch::try_new(
        schema.clone(),
        vec![
            Arc::new(Int64Array::from_iter_values(0..rows)),
            Arc::new((0..rows).map(|row| (row % 7 != 3).then(|| body(row))).collect::<StringArray>()),
            Arc::new(
                (0..rows).map(|row| Some(["Aarhus", "Odense"][(row % 2) as usize])).collect::<StringArray>(),
            ),
            Arc::new(Int64Array::from_iter_values((0..rows).map(|row| row % 13))),
        ],
    );
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(part)).build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, schema, Some(properties)).unwrap();
    writer.write(&batch.unwrap()).unwrap();
    writer.close().unwrap();
}
