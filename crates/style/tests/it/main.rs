//! Style, end to end.
