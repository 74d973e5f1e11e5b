//! The check of licences and bans in deny.toml.
//!
//! It reads the parts of deny.toml that `cargo deny check licenses bans` reads, and needs no tool that has to be
//! installed first.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, bail};
use spdx::{Expression, LicenseReq, Licensee, ParseMode};
use toml::Value;

use crate::graph::{Graph, Package};
use crate::root;

pub(crate) fn run() -> anyhow::Result<()> {
    let text = std::fs::read_to_string(root()?.join("deny.toml")).context("cannot read deny.toml")?;
    let rules = Rules::parse(&text).context("deny.toml")?;
    let graph = Graph::read(&["--all-features"])?;
    for duplicate in duplicates(&graph) {
        eprintln!("note: {duplicate}");
    }
    let problems = rules.problems(&graph);
    for problem in &problems {
        eprintln!("error: {problem}");
    }
    match problems.len() {
        0 => {
            eprintln!("ok: {} packages have allowed licences, and none is banned", graph.packages.len());
            Ok(())
        }
        count => bail!("deny.toml forbids {count} of them"),
    }
}

/// The rules in deny.toml.
struct Rules {
    licences: Vec<Licensee>,
    /// Additional licences of single packages.
    exceptions: Vec<(String, Vec<Licensee>)>,
    bans: Vec<Ban>,
    wildcards_denied: bool,
}

/// A package that must not be used, except by its wrappers.
struct Ban {
    package: String,
    wrappers: Vec<String>,
}

impl Rules {
    fn parse(text: &str) -> anyhow::Result<Self> {
        let file: toml::Table = text.parse()?;
        let section = |name: &str| file.get(name).with_context(|| format!("the section [{name}] is missing"));
        let licences = section("licenses")?;
        let exceptions = licences.get("exceptions").and_then(Value::as_array).into_iter().flatten();
        let exceptions = exceptions.map(|exception| {
            let package =
                exception.get("crate").and_then(Value::as_str).context("an exception without `crate`")?;
            Ok((package.to_owned(), licensees(exception.get("allow"))?))
        });
        let bans = section("bans")?;
        let denied = bans.get("deny").and_then(Value::as_array).into_iter().flatten();
        let denied = denied.map(|ban| {
            let package = ban.get("crate").and_then(Value::as_str).context("a ban without `crate`")?;
            let wrappers = strings(ban.get("wrappers")).map(str::to_owned).collect();
            Ok(Ban { package: package.to_owned(), wrappers })
        });
        Ok(Self {
            licences: licensees(licences.get("allow"))?,
            exceptions: exceptions.collect::<anyhow::Result<_>>()?,
            bans: denied.collect::<anyhow::Result<_>>()?,
            wildcards_denied: bans.get("wildcards").and_then(Value::as_str) == Some("deny"),
        })
    }

    /// All violations, sorted.
    fn problems(&self, graph: &Graph) -> BTreeSet<String> {
        let mut problems = BTreeSet::new();
        for package in graph.packages.values() {
            let name = format!("{} {}", package.name, package.version);
            problems.extend(self.licence_problem(package).map(|problem| format!("{name}: {problem}")));
            if self.wildcards_denied && package.is_ours {
                let wildcards = package.wildcards.iter();
                problems
                    .extend(wildcards.map(|used| format!("{name}: {used} is declared with the version *")));
            }
            for used in package.dependencies.iter().filter_map(|used| graph.packages.get(&used.package)) {
                let ban = self.bans.iter().find(|ban| ban.package == used.name);
                if ban.is_some_and(|ban| !ban.wrappers.contains(&package.name)) {
                    problems.insert(format!("{name}: must not use {}", used.name));
                }
            }
        }
        problems
    }

    fn licence_problem(&self, package: &Package) -> Option<String> {
        let Some(licence) = &package.licence else { return Some("no licence is declared".to_owned()) };
        // Older packages write `/` instead of `OR`.
        let Ok(expression) = Expression::parse_mode(licence, ParseMode::LAX) else {
            return Some(format!("{licence:?} is not an SPDX expression"));
        };
        let exceptions = self.exceptions.iter().filter(|(name, _)| *name == package.name);
        let licences: Vec<&Licensee> =
            self.licences.iter().chain(exceptions.flat_map(|(_, licences)| licences)).collect();
        let allowed = |required: &LicenseReq| licences.iter().any(|licence| licence.satisfies(required));
        (!expression.evaluate(allowed)).then(|| format!("the licence {licence} is not allowed"))
    }
}

fn licensees(value: Option<&Value>) -> anyhow::Result<Vec<Licensee>> {
    let parse = |name| Licensee::parse(name).with_context(|| format!("the licence {name:?}"));
    strings(value).map(parse).collect()
}

fn strings(value: Option<&Value>) -> impl Iterator<Item = &str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// The packages that occur in several versions.
fn duplicates(graph: &Graph) -> Vec<String> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in graph.packages.values() {
        versions.entry(&package.name).or_default().insert(&package.version);
    }
    versions.retain(|_, versions| versions.len() > 1);
    let line = |(name, versions): (&str, BTreeSet<&str>)| {
        format!("{name} occurs in versions {}", versions.into_iter().collect::<Vec<_>>().join(", "))
    };
    versions.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph;

    fn problems(rules: &str) -> Vec<String> {
        Rules::parse(rules).unwrap().problems(&graph::example()).into_iter().collect()
    }

    #[test]
    fn reports_licences_bans_and_wildcards() {
        let rules = r#"
            [licenses]
            allow = ["MIT"]
            [bans]
            wildcards = "deny"
            deny = [{ crate = "derive", wrappers = ["library"] }, { crate = "library", wrappers = ["app"] }]
        "#;
        assert_eq!(
            problems(rules),
            [
                "app 1.0.0: must not use derive",
                "odd 1.0.0: no licence is declared",
                "tester 1.0.0: the licence GPL-3.0-only is not allowed",
            ]
        );
    }

    #[test]
    fn allows_what_the_rules_allow() {
        let rules = r#"
            [licenses]
            allow = ["Apache-2.0", "MIT"]
            exceptions = [{ crate = "tester", allow = ["GPL-3.0-only"] }]
            [bans]
        "#;
        assert_eq!(problems(rules), ["odd 1.0.0: no licence is declared"]);
    }

    #[test]
    fn reads_the_rules_of_this_repository() {
        let text = std::fs::read_to_string(root().unwrap().join("deny.toml")).unwrap();
        let rules = Rules::parse(&text).unwrap();
        assert!(rules.licences.len() > 5 && rules.bans.len() > 2 && rules.wildcards_denied);
    }
}
