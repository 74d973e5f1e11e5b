//! Arbitrary text as a budget.
#![no_main]

use inkveil_privacy::Epsilon;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(epsilon) = text.parse::<Epsilon>() {
        assert!(epsilon >= Epsilon::ZERO);
        assert_eq!(epsilon.to_string().parse(), Ok(epsilon));
        let _ = epsilon.readable();
    }
});
