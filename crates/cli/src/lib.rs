//! The command `inkveil`.
//!
//! Data goes to standard output, messages go to standard error. Exit codes: 0 for success, 1 for a failure or
//! a guarantee that an audit refuted, 2 for a wrong command line, 130 for an interruption, 141 for a closed pipe. `inkveil detect
//! --check` exits with 1 if something was found, and `inkveil detect` with 2 for any failure.

#![forbid(unsafe_code)]

#[macro_use]
mod printed;

mod advice;
mod args;
mod attack;
mod audit;
mod config;
mod corpus;
mod curves;
mod detect;
mod device;
mod eval;
mod gateway;
mod interrupt;
mod ledger;
mod make;
mod models;
mod noise;
mod observer;
mod outcome;
mod progress;
mod pull;
mod receipt;
mod restore;
mod session;
mod shell;
mod style;
mod table;
mod text;
mod vector;
mod vector_release;
mod words;

use clap::Parser;

use args::{Args, Command};
use outcome::Outcome;

/// Runs the command with these words, of which the first is the name of the program, and returns the exit code. The
/// program and the Python package call it once, and end afterwards.
pub fn run(words: Vec<std::ffi::OsString>) -> u8 {
    inkveil::files::hide_panic_messages();
    let args = match Args::try_parse_from(&words) {
        Ok(args) => args,
        Err(error) => return args::refuse(error, &words),
    };
    // The first use of the pool would panic if the system refuses its threads.
    if let Err(error) = rayon::ThreadPoolBuilder::new().num_threads(threads()).build_global() {
        let why = "the system refuses to start threads; raise the limit on processes";
        return Outcome::of_error(anyhow::Error::new(error).context(why)).code();
    }
    let result = match args.command {
        Command::Text(args) => text::run(&args),
        Command::Restore(args) => restore::run(&args),
        Command::Session(args) => session::run(&args),
        Command::Detect(args) => detect::run(&args),
        Command::Vector(args) => vector::run(&args),
        Command::Style(args) => style::run(&args),
        Command::Attack(args) => attack::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Noise(args) => noise::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Receipt(args) => receipt::run(args),
        Command::Ledger(args) => ledger::run(&args),
        Command::Words(args) => words::run(args),
        Command::Curves(args) => curves::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Open(args) => gateway::open(&args),
        Command::Serve(args) => gateway::serve(&args),
        Command::Mcp(args) => gateway::mcp(&args),
        Command::Sql(args) => gateway::sql(&args),
        Command::Pull(args) => pull::run(&args),
        Command::Models(args) => models::run(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
    };
    let ended = result.and_then(|outcome| printed::flush().map(|()| outcome));
    ended.unwrap_or_else(Outcome::of_error).code()
}

/// The number of threads that the environment asks for. 0 stands for one for each core. Thousands of them take minutes to
/// start.
fn threads() -> usize {
    const MOST: usize = 512;
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|asked| asked.parse::<usize>().ok());
    asked.unwrap_or(0).min(MOST)
}
