//! Arbitrary text as a receipt.
#![no_main]

use inkveil_privacy::Receipt;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(receipt) = Receipt::from_json(text) {
        let _ = (receipt.verify(), receipt.render());
        assert_eq!(Receipt::from_json(&receipt.to_json()).as_ref(), Ok(&receipt));
    }
});
