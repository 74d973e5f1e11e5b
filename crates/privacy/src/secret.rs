//! A wrapper for values that must not be printed.

use std::fmt;

use zeroize::Zeroize;

/// A value that cannot be printed and is overwritten when it is dropped.
///
/// ```
/// use inkveil_privacy::Secret;
///
/// let secret = Secret::new(String::from("my text"));
/// assert_eq!(format!("{secret:?}"), "Secret(redacted)");
/// assert_eq!(secret.expose(), "my text");
/// ```
#[derive(Clone)]
pub struct Secret<T: Zeroize>(T);

impl<T: Zeroize> Secret<T> {
    /// Wraps a value.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// Returns the value. The name makes every use easy to find in a review.
    pub fn expose(&self) -> &T {
        &self.0
    }

    /// Returns the value for changes in place.
    pub fn expose_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

impl<T: Zeroize> From<T> for Secret<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    struct Witness(Rc<Cell<bool>>);

    impl Zeroize for Witness {
        fn zeroize(&mut self) {
            self.0.set(true);
        }
    }

    #[test]
    fn secrets_are_overwritten_when_dropped() {
        let wiped = Rc::new(Cell::new(false));
        drop(Secret::new(Witness(Rc::clone(&wiped))));
        assert!(wiped.get());
    }

    #[test]
    fn debug_output_is_redacted() {
        let secret = Secret::new(vec![42u8; 4]);
        assert!(!format!("{secret:?} {secret:#?}").contains("42"));
    }
}
