//! Arbitrary text as a budget.

use inkveil_privacy::Epsilon;

pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(epsilon) = text.parse::<Epsilon>() {
        assert!(epsilon >= Epsilon::ZERO);
        assert_eq!(epsilon.to_string().parse(), Ok(epsilon));
        let _ = epsilon.readable();
    }
}
