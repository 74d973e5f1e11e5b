//! Labels of values in files that machines read: `DB_PASSWORD_PROD=`, `"secret_key_base":`, `token2:`.

/// What may follow the telling word of a label without changing what it is a label of: where or when the value is used, or its number.
/// A list, because `password_length` and `token_type` are labels of something else. For patterns in any case.
pub(super) const USE: &str = concat!(
    "(?:[_-]?(?:production|prod|development|devel|dev|testing|test|staging|stage|live|local|sandbox|demo|qa|uat",
    "|old|new|current|next|previous|prev|main|master|primary|secondary|replica|backup|fallback|default|admin|root",
    "|base|ro|rw|[0-9]{1,3}))",
);
