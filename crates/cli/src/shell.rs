//! What a shell wants to know: completions and manual pages.

use std::io::Write;

use anyhow::Context;
use clap::CommandFactory;

use crate::args::{Args, CompletionsArgs, ManArgs};
use crate::outcome::Outcome;
use crate::printed;

/// Prints a completion script.
pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "inkveil", &mut script);
    printed::stdout()?.write_all(&script).context("cannot write the script")?;
    Ok(Outcome::Success)
}

/// Prints the manual page of the command, or writes that of each subcommand too.
pub(crate) fn man(args: &ManArgs) -> anyhow::Result<Outcome> {
    let mut command = Args::command();
    command.build();
    let Some(dir) = &args.output else {
        printed::stdout()?.write_all(&page(command)?).context("cannot write the page")?;
        return Ok(Outcome::Success);
    };
    std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let mut written = 0;
    let mut pages = vec![(String::from("inkveil"), command)];
    while let Some((name, command)) = pages.pop() {
        for sub in command.get_subcommands().filter(|s| s.get_name() != "help" && !s.is_hide_set()) {
            pages.push((format!("{name}-{}", sub.get_name()), sub.clone()));
        }
        inkveil::files::write_atomically(
            &dir.join(format!("{name}.1")),
            &page(command.display_name(name))?,
            true,
        )?;
        written += 1;
    }
    say!("wrote {written} pages to {}", dir.display());
    Ok(Outcome::Success)
}

fn page(command: clap::Command) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).context("cannot render the page")?;
    Ok(page)
}
