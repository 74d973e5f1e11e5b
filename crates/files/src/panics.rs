//! The panic guard.

use std::cell::Cell;
use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

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

/// Runs `call` and returns `None` if it panicked. The panic message is not printed, because it may
/// quote a text.
///
/// For libraries that trust their input: a damaged file can make them panic.
pub fn catch_quietly<T>(call: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                previous(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    QUIET.set(before);
    result.ok()
}

fn message(panic: &PanicHookInfo<'_>) -> String {
    let place = panic.location().map(|place| format!(" at {}:{}", place.file(), place.line()));
    format!("error: inkveil failed{}; this is a bug, please report it", place.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    #[test]
    fn a_caught_panic_is_none_and_later_ones_are_printed_again() {
        assert_eq!(super::catch_quietly(|| 1), Some(1));
        assert_eq!(super::catch_quietly(|| -> u8 { panic!("987.654") }), None);
        assert!(!super::QUIET.get());
    }

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
