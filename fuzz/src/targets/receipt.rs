//! Arbitrary text as a receipt.

use inkveil_privacy::Receipt;

pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(receipt) = Receipt::from_json(text) {
        let _ = (receipt.verify(), receipt.render());
        assert_eq!(Receipt::from_json(&receipt.to_json()).as_ref(), Ok(&receipt));
    }
}
