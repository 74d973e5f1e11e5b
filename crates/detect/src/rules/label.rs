//! Labels of values in configuration files: `DB_PASSWORD_PROD=`, `"secret_key_base":`, `token2:`.

/// A part of a label that does not change its meaning: the environment, the version or a number. It is a
/// fixed list, because `password_length` and `token_type` label other values. For patterns that ignore case.
pub(super) const USE: &str = concat!(
    "(?:[_-]?(?:production|prod|development|devel|dev|testing|test|staging|stage|live|local|sandbox|demo|qa|uat",
    "|old|new|current|next|previous|prev|main|master|primary|secondary|replica|backup|fallback|default|admin|root",
    "|base|ro|rw|[0-9]{1,3}))",
);
