//! The dependency graph, from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::Context as _;
use serde_json::Value;

use crate::{cargo, output, root};

/// All packages of the workspace and their dependencies.
pub(crate) struct Graph {
    /// By the package's identifier.
    pub(crate) packages: BTreeMap<String, Package>,
}

pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: Option<String>,
    pub(crate) repository: Option<String>,
    pub(crate) folder: PathBuf,
    /// Whether it belongs to this workspace.
    pub(crate) is_ours: bool,
    /// Whether it only runs in the compiler.
    pub(crate) is_macro: bool,
    pub(crate) dependencies: Vec<Dependency>,
    /// Names of dependencies that are declared with the version `*`.
    pub(crate) wildcards: Vec<String>,
}

pub(crate) struct Dependency {
    /// The identifier of the package.
    pub(crate) package: String,
    /// Whether it becomes part of the program: not only of tests or build scripts.
    pub(crate) is_linked: bool,
}

impl Graph {
    /// Reads the graph with these additional arguments for `cargo metadata`.
    pub(crate) fn read(arguments: &[&str]) -> anyhow::Result<Self> {
        let mut command = cargo();
        command.current_dir(root()?).args(["metadata", "--format-version", "1", "--locked"]).args(arguments);
        Self::parse(&output(&mut command)?).context("cargo metadata has another format than expected")
    }

    pub(crate) fn parse(metadata: &[u8]) -> anyhow::Result<Self> {
        let metadata: Value = serde_json::from_slice(metadata)?;
        let ours: BTreeSet<&str> = list(&metadata["workspace_members"]).filter_map(Value::as_str).collect();
        let mut packages = BTreeMap::new();
        for package in list(&metadata["packages"]) {
            let id = text(&package["id"])?;
            let manifest = PathBuf::from(text(&package["manifest_path"])?);
            let is_wildcard = |dependency: &&Value| dependency["req"] == "*" && dependency["path"].is_null();
            let wildcards = list(&package["dependencies"]).filter(is_wildcard);
            let mut kinds = list(&package["targets"]).flat_map(|target| list(&target["kind"]));
            let found = Package {
                name: text(&package["name"])?,
                version: text(&package["version"])?,
                licence: package["license"].as_str().map(str::to_owned),
                repository: package["repository"].as_str().map(str::to_owned),
                folder: manifest.parent().context("a manifest has no folder")?.to_owned(),
                is_ours: ours.contains(id.as_str()),
                is_macro: kinds.any(|kind| kind == "proc-macro"),
                dependencies: Vec::new(),
                wildcards: wildcards.map(|dependency| text(&dependency["name"])).collect::<Result<_, _>>()?,
            };
            packages.insert(id, found);
        }
        for node in list(&metadata["resolve"]["nodes"]) {
            let package = packages.get_mut(&text(&node["id"])?).context("an unknown package in the graph")?;
            for dependency in list(&node["deps"]) {
                let is_linked = list(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null());
                package.dependencies.push(Dependency { package: text(&dependency["pkg"])?, is_linked });
            }
        }
        Ok(Self { packages })
    }

    /// The packages that become part of a program of this workspace, sorted by name.
    pub(crate) fn linked_into(&self, program: &str) -> anyhow::Result<Vec<&Package>> {
        let start = self.packages.iter().find(|(_, package)| package.is_ours && package.name == program);
        let (start, _) = start.with_context(|| format!("there is no package {program}"))?;
        let (mut found, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(id) = open.pop() {
            let Some(package) = self.packages.get(id).filter(|package| !package.is_macro) else { continue };
            if found.insert(id) {
                let linked = package.dependencies.iter().filter(|dependency| dependency.is_linked);
                open.extend(linked.map(|dependency| &dependency.package));
            }
        }
        let mut packages: Vec<&Package> = found.into_iter().filter_map(|id| self.packages.get(id)).collect();
        packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
        Ok(packages)
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> anyhow::Result<String> {
    value.as_str().map(str::to_owned).context("a field is missing or not a text")
}

/// A graph for tests: `app` uses `library` and the macro `derive`, and `tester` in its tests only.
#[cfg(test)]
pub(crate) fn example() -> Graph {
    let package = |name: &str, kind: &str, licence: &str, uses: &str| {
        format!(
            r#"{{"id": "{name} 1", "name": "{name}", "version": "1.0.0", "license": {licence}, "repository": null,
                "manifest_path": "/{name}/Cargo.toml", "targets": [{{"kind": ["{kind}"]}}],
                "dependencies": [{uses}]}}"#
        )
    };
    let packages = [
        package("app", "bin", r#""MIT""#, r#"{"name": "library", "req": "*", "path": "/library"}"#),
        package("library", "lib", r#""MIT OR Apache-2.0""#, r#"{"name": "odd", "req": "*"}"#),
        package("derive", "proc-macro", r#""MIT/Apache-2.0""#, ""),
        package("tester", "lib", r#""GPL-3.0-only""#, ""),
        package("odd", "lib", "null", ""),
    ];
    let needs =
        |name: &str, kind: &str| format!(r#"{{"pkg": "{name} 1", "dep_kinds": [{{"kind": {kind}}}]}}"#);
    let node =
        |name: &str, deps: Vec<String>| format!(r#"{{"id": "{name} 1", "deps": [{}]}}"#, deps.join(","));
    let nodes = [
        node("app", vec![needs("library", "null"), needs("derive", "null"), needs("tester", "\"dev\"")]),
        node("library", vec![needs("odd", "null")]),
    ];
    let json = format!(
        r#"{{"workspace_members": ["app 1"], "packages": [{}], "resolve": {{"nodes": [{}]}}}}"#,
        packages.join(","),
        nodes.join(",")
    );
    Graph::parse(json.as_bytes()).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_linked() {
        let graph = example();
        let names: Vec<&str> = graph.linked_into("app").unwrap().iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["app", "library", "odd"]);
        assert!(graph.linked_into("library").is_err(), "not a package of the workspace");
    }
}
