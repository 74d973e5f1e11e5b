//! What is said when a bug ends the program.

use std::io::Write as _;
use std::panic::{self, PanicHookInfo};

/// Has panics say where they happened, and nothing else: their own words may quote the text that was worked on (`byte index 2 is
/// not a char boundary; it is inside 'é' of …`), and standard error may end up in a log.
pub(crate) fn keep_text_out() {
    panic::set_hook(Box::new(|panic| {
        // Not `eprintln!`, which panics if standard error is closed.
        let _ = writeln!(std::io::stderr(), "{}", words(panic));
    }));
}

fn words(panic: &PanicHookInfo<'_>) -> String {
    let place = panic.location().map(|place| format!(" at {}:{}", place.file(), place.line()));
    format!("error: inkveil failed{}; this is a bug, please report it", place.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    /// Set for the process that is to panic.
    const PANIC: &str = "INKVEIL_TEST_PANIC";

    /// A hook is the process's: this test starts itself again, and panics there.
    #[test]
    fn a_panic_says_where_and_not_what() {
        if std::env::var_os(PANIC).is_some() {
            super::keep_text_out();
            let text = String::from("ana@example.org é");
            let cut = text.len() - 1;
            assert_ne!(&text[..cut], "");
        }
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["panics::tests::a_panic_says_where_and_not_what", "--exact", "--nocapture"])
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
