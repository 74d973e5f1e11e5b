//! Settings files of training runs with their defaults, for help.

use super::{EncoderSettings, RewriterSettings};

impl EncoderSettings {
    /// A settings file that says the defaults.
    pub const EXAMPLE: &str = include_str!("encoder/example.toml");
}

impl RewriterSettings {
    /// A settings file that says the defaults of all stages.
    pub const EXAMPLE: &str = include_str!("rewriter/example.toml");
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: &str = "texts = [\"authors.jsonl\"]\n";

    #[test]
    fn the_examples_say_the_defaults() {
        let encoder = |text| format!("{:?}", EncoderSettings::from_toml(text, "s.toml").unwrap());
        assert_eq!(encoder(EncoderSettings::EXAMPLE), encoder(TEXTS));
        let rewriter = |text| format!("{:?}", RewriterSettings::from_toml(text, "s.toml").unwrap());
        assert_eq!(rewriter(RewriterSettings::EXAMPLE), rewriter(TEXTS));
    }
}
