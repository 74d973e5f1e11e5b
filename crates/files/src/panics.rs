//! The panic guard.

use std::io::Write as _;
use std::panic::{self, PanicHookInfo};

/// Sets a panic hook that prints the place of a panic and never its message.
///
/// The message of a panic may quote the text that was worked on (`byte index 2 is not a char boundary; it is inside 'é'
/// of …`), and standard error may end up in a log.
pub fn hide_panic_messages() {
    panic::set_hook(Box::new(|panic| {
        // Not `eprintln!`, which panics if standard error is closed.
        let _ = writeln!(std::io::stderr(), "{}", message(panic));
    }));
}

fn message(panic: &PanicHookInfo<'_>) -> String {
    let place = panic.location().map(|place| format!(" at {}:{}", place.file(), place.line()));
    format!("error: inkveil failed{}; this is a bug, please report it", place.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    /// This variable is set for the process that has to panic.
    const PANIC: &str = "INKVEIL_TEST_PANIC";

    /// A hook belongs to the whole process, so this test starts itself again and panics there.
    #[test]
    fn a_panic_prints_its_place_and_not_its_message() {
        if std::env::var_os(PANIC).is_some() {
            super::hide_panic_messages();
            let text = String::from("ana@example.org é");
            let cut = text.len() - 1;
            assert_ne!(&text[..cut], "");
        }
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["panics::tests::a_panic_prints_its_place_and_not_its_message", "--exact", "--nocapture"])
            .env(PANIC, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert!(said.contains("panics.rs:") && said.contains("this is a bug"), "{said}");
        assert!(
            !said.contains("ana@") && !String::from_utf8_lossy(&output.stdout).contains("ana@"),
            "{said}"
        );
    }
}
