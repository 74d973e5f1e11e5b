//! The program `inkveil-cluster`.
#![forbid(unsafe_code)]

mod program;

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(program::run())
}
