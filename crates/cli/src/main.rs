//! The program `inkveil`.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(inkveil_cli::run(std::env::args_os().collect()))
}
