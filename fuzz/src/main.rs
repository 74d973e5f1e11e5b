//! All targets in one program. `INKVEIL_FUZZ_TARGET` names the target; `INKVEIL_FUZZ_PACK` names the folder of the pack `en`,
//! if it is not that of the repository. The arguments are those of libFuzzer.
#![no_main]

use std::sync::LazyLock;

use inkveil_fuzz::TARGETS;
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("INKVEIL_FUZZ_TARGET").unwrap_or_default();
    match TARGETS.iter().find(|(known, _)| *known == name) {
        Some((_, run)) => *run,
        None => {
            let names: Vec<&str> = TARGETS.iter().map(|(known, _)| *known).collect();
            eprintln!("set INKVEIL_FUZZ_TARGET to one of: {}", names.join(" "));
            std::process::exit(2);
        }
    }
});

fuzz_target!(|bytes: &[u8]| (TARGET)(bytes));
