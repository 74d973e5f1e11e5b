//! A shell: statements from the terminal or from standard input, one after the other.

use std::io::{BufRead as _, IsTerminal as _};

use inkveil_datafusion::Engine;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use super::args::QueryArgs;
use super::one_query::{release, run};
use super::{say, say_error};

/// Reads statements until the input ends. On a terminal, an error does not end the shell.
pub(crate) async fn run_shell(engine: &Engine, args: &QueryArgs) -> anyhow::Result<()> {
    let mut text = String::new();
    if !std::io::stdin().is_terminal() {
        for line in std::io::stdin().lock().lines() {
            text.push_str(&line?);
            text.push('\n');
        }
        for statement in engine.statements(&text)? {
            if let Some(query) = engine.prepare(statement).await? {
                release(engine, query, args).await?;
            }
        }
        return Ok(());
    }
    let mut editor = DefaultEditor::new()?;
    say("statements end with `;`, Ctrl-D ends the shell");
    loop {
        match editor.readline(if text.is_empty() { "inkveil> " } else { "    ...> " }) {
            Ok(line) => {
                text.push_str(&line);
                text.push('\n');
            }
            Err(ReadlineError::Interrupted) => {
                text.clear();
                continue;
            }
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        if !text.trim_end().ends_with(';') {
            continue;
        }
        let sql = std::mem::take(&mut text);
        // The history stays in memory: a query may name a person.
        let _ = editor.add_history_entry(sql.trim());
        if let Err(error) = run(engine, &sql, args).await {
            say_error(&error);
        }
    }
}
