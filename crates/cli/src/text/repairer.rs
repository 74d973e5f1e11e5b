//! The language model that mends veiled text.

use anyhow::{bail, ensure};
use inkveil::chat::Chat;
use inkveil::{Repaired, Veiled};

use crate::args::TextArgs;
use crate::chat;

pub(super) struct Repairer {
    model: Box<dyn Chat>,
}

impl Repairer {
    /// Opens the model that the flags name, if they name one.
    pub(super) fn open(args: &TextArgs) -> anyhow::Result<Option<Self>> {
        let Some(name) = &args.words.repair else { return Ok(None) };
        let name = address(name, args.words.repair_model.as_deref())?;
        Ok(Some(Self { model: chat::open(&name)? }))
    }

    /// What the model is called in receipts.
    pub(super) fn name(&self) -> String {
        self.model.name()
    }

    /// Lets the model mend a veiled text. It sees nothing else.
    pub(super) fn repair(&self, veiled: &Veiled<'_>) -> anyhow::Result<Repaired> {
        Ok(inkveil::repair(&*self.model, veiled)?)
    }
}

/// The name of a model as [`inkveil::chat::open`] takes it: `URL#MODEL` for a server.
fn address(name: &str, model: Option<&str>) -> anyhow::Result<String> {
    let remote = name.starts_with("http://") || name.starts_with("https://");
    match model {
        None if remote && !name.contains('#') => {
            bail!("--repair with an address needs the name of the model too; say it with --repair-model")
        }
        None => Ok(name.to_owned()),
        Some(model) => {
            ensure!(
                remote,
                "--repair-model goes with the address of a server; a local model has its own name"
            );
            ensure!(
                !name.contains('#'),
                "the address names a model behind its # already; leave out --repair-model"
            );
            Ok(format!("{name}#{model}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_needs_the_name_of_a_model() {
        let url = "http://localhost:8080/v1";
        assert_eq!(address(url, Some("qwen")).unwrap(), "http://localhost:8080/v1#qwen");
        assert_eq!(address("http://localhost:8080/v1#qwen", None).unwrap(), "http://localhost:8080/v1#qwen");
        assert_eq!(address("smollm2", None).unwrap(), "smollm2");
        for (name, model) in [(url, None), ("smollm2", Some("qwen")), ("http://localhost/v1#a", Some("b"))] {
            assert!(address(name, model).is_err(), "{name}");
        }
    }
}
