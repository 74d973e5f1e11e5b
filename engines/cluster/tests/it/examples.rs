//! The commands of `examples/cluster` run as they stand there, as processes of this machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::processes::{Server, certificates, mails, run};
use crate::queries::alone;

const QUERY: &str = "SELECT id, veil(body, id) AS body FROM mails";

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cluster").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// The commands of the programs in a file: lists in one line, lists with an item to a line, and one of a shell.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#')).peekable();
    while let Some(line) = lines.next() {
        let is_list = ["command: [\"", "args: [\"", "entrypoint: [\"inkveil"]
            .iter()
            .any(|start| line.starts_with(start));
        let mut command: Vec<String> = match line {
            _ if is_list => serde_json::from_str(&line[line.find('[').unwrap()..]).unwrap(),
            "- executor" => vec!["executor".to_owned()],
            line => match line.strip_prefix("exec inkveil-cluster ") {
                Some(rest) => rest.split(' ').map(str::to_owned).collect(),
                None => continue,
            },
        };
        // What follows belongs to a list with an item to a line, or to a command of a shell.
        while let Some(line) = lines.next_if(|line| line.starts_with("- --") || line.starts_with("--")) {
            command.extend(line.trim_start_matches("- ").split(' ').map(str::to_owned));
        }
        command.retain(|word| word != "inkveil-cluster");
        found.push(command);
    }
    found
}

/// Puts the paths and addresses of this machine in place of those of containers.
fn here(command: &[String], replaced: &BTreeMap<&str, String>) -> Vec<String> {
    let word = |word: &String| {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => (format!("{flag}="), value),
            _ => (String::new(), word.as_str()),
        };
        let value = value.trim_matches('"');
        flag + replaced.get(value).map_or(value, String::as_str)
    };
    command.iter().map(word).collect()
}

fn started(command: &[String]) -> Server {
    Server::start(&command.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A folder as the secret of a role is mounted: its files are links, and the group may read them.
fn mounted(folder: &Path, role: &str) -> PathBuf {
    let mounted = folder.join(format!("mounted-{role}"));
    std::fs::create_dir(&mounted).unwrap();
    for file in std::fs::read_dir(folder.join("cluster").join(role)).unwrap() {
        let file = file.unwrap().path();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o440)).unwrap();
            std::os::unix::fs::symlink(&file, mounted.join(file.file_name().unwrap())).unwrap();
        }
    }
    mounted
}

#[cfg(unix)]
#[test]
fn the_commands_of_the_examples_run() {
    for (name, roles) in [
        ("compose.yaml", &["executor", "scheduler", "sql"][..]),
        ("kubernetes.yaml", &["scheduler", "executor"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        certificates(&folder.path().join("cluster"));
        let table = folder.path().join("mails.parquet");
        mails(&table, 100, 20);
        let commands = commands(&example(name));
        let found: Vec<&str> = commands.iter().map(|command| command[0].as_str()).collect();
        assert_eq!(found, roles, "{name}");
        let files = ["scheduler", "executor", "client"].map(|role| mounted(folder.path(), role));
        let path = |path: &Path| path.to_str().unwrap().to_owned();
        let mut replaced = BTreeMap::from([
            ("0.0.0.0:50050", "127.0.0.1:0".to_owned()),
            ("0.0.0.0:50051", "127.0.0.1:0".to_owned()),
            ("$$(hostname)", "127.0.0.1".to_owned()),
            ("$(ADDRESS)", "127.0.0.1".to_owned()),
            ("$${SLOTS:-2}", "2".to_owned()),
            ("/cluster", path(&files[0])),
        ]);
        let of = |role: &str| commands.iter().find(|command| command[0] == role);
        let scheduler = started(&here(of("scheduler").unwrap(), &replaced));
        for host in ["scheduler:50050", "inkveil-scheduler:50050"] {
            replaced.insert(host, scheduler.address.clone());
        }
        replaced.insert("/cluster", path(&files[1]));
        let executors = ["work-1", "work-2"].map(|work| {
            replaced.insert("/rows/work", path(&folder.path().join(work)));
            started(&here(of("executor").unwrap(), &replaced))
        });
        replaced.insert("/cluster", path(&files[2]));
        // Kubernetes has no command of a client.
        let client = ["sql", "--scheduler", "scheduler:50050", "--cluster", "/cluster"].map(str::to_owned);
        let mut client = here(of("sql").map_or(&client[..], Vec::as_slice), &replaced);
        let (table_of, output) = (format!("mails={}", path(&table)), folder.path().join("veiled.parquet"));
        // Rows without an order come in any.
        let sql = format!("{QUERY} ORDER BY id");
        client.extend(["--table", &table_of, "-c", &sql, "-o", &path(&output)].map(str::to_owned));
        client.extend(["--set", "insecure_seed=5", "--set", "tier=rules"].map(str::to_owned));
        let done = run(&client.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
        let expected = alone(&table, &sql, &folder.path().join("alone.parquet"), &[]);
        assert!(std::fs::read(&output).unwrap() == expected, "{name}");
        drop(executors);
    }
}

/// Replacing a word of a command shows that the test above reads the files.
#[test]
fn the_commands_are_those_of_the_files() {
    let text = example("kubernetes.yaml").replace("--slots=4", "--slot=4");
    let executor = commands(&text).into_iter().find(|command| command[0] == "executor").unwrap();
    assert!(executor.contains(&"--slot=4".to_owned()));
    let done = run(&executor.iter().map(String::as_str).collect::<Vec<_>>());
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code() == Some(2) && said.contains("'--slot'"), "{said}");
    assert!(example("compose.yaml").contains(&format!("-c \"{QUERY}\"")));
}
