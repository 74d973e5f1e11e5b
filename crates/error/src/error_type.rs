//! The macro that writes error types.

/// Writes an opaque error type around an error kind.
///
/// The type gets `kind()`, conversions from the kind and from everything the kind can be made from, `Display`, `Debug`
/// and [`std::error::Error`] with the `source()` of the kind. See the [crate](crate) for an example.
///
/// The names after `at` say which parts of the place the type can hold. Each adds a public method that returns the
/// part and a method for the crate that sets it, unless it is set already:
///
/// | name | sets | returns |
/// |---|---|---|
/// | `file` | `in_file(path)` | `file()` |
/// | `subject` | `of(name)`: a server, pack or address | `subject()` |
/// | `row` | `in_row(position)`, counted from 0 | `row()`, counted from 1 |
/// | `line` | `in_line(position)`, counted from 0 | `line()`, counted from 1 |
/// | `field` | `in_field(name)` | `field()` |
///
/// `file` and `subject` are the same part; a type has one of them.
#[macro_export]
macro_rules! error_type {
    ($(#[$meta:meta])* $vis:vis struct $name:ident($kind:ty) $(at $($part:ident),+)?;) => {
        $(#[$meta])*
        $vis struct $name(::std::boxed::Box<$crate::Located<$kind>>);

        impl $name {
            /// Returns the kind of this error.
            $vis fn kind(&self) -> &$kind {
                &self.0.kind
            }
            $($($crate::error_type!(@part $vis $part);)+)?
        }

        impl<K: ::std::convert::Into<$kind>> ::std::convert::From<K> for $name {
            fn from(kind: K) -> Self {
                Self(::std::boxed::Box::new(::std::convert::Into::<$kind>::into(kind).into()))
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::write!(f, "{}({self:#})", ::std::stringify!($name))
            }
        }

        impl ::std::error::Error for $name {
            fn source(&self) -> ::std::option::Option<&(dyn ::std::error::Error + 'static)> {
                ::std::error::Error::source(&self.0.kind)
            }
        }
    };
    (@part $vis:vis file) => {
        /// Returns the file that this error is about.
        $vis fn file(&self) -> ::std::option::Option<&::std::path::Path> {
            self.0.place.subject.as_ref().map(::std::path::Path::new)
        }

        /// Names the file, unless one is named already.
        pub(crate) fn in_file(mut self, file: impl ::std::convert::AsRef<::std::path::Path>) -> Self {
            self.0.place.subject.get_or_insert_with(|| file.as_ref().display().to_string());
            self
        }
    };
    (@part $vis:vis subject) => {
        /// Returns what this error is about: a file, server, pack or address.
        $vis fn subject(&self) -> ::std::option::Option<&str> {
            self.0.place.subject.as_deref()
        }

        /// Names what this error is about, unless that is named already.
        pub(crate) fn of(mut self, subject: impl ::std::fmt::Display) -> Self {
            self.0.place.subject.get_or_insert_with(|| subject.to_string());
            self
        }
    };
    (@part $vis:vis row) => {
        /// Returns the row that this error is about, counted from 1.
        $vis fn row(&self) -> ::std::option::Option<u64> {
            self.0.place.row
        }

        /// Names the row by its position, counted from 0, unless one is named already.
        pub(crate) fn in_row(mut self, position: u64) -> Self {
            self.0.place.row.get_or_insert(position.saturating_add(1));
            self
        }
    };
    (@part $vis:vis line) => {
        /// Returns the line that this error is about, counted from 1.
        $vis fn line(&self) -> ::std::option::Option<usize> {
            self.0.place.line
        }

        /// Names the line by its position, counted from 0, unless one is named already.
        pub(crate) fn in_line(mut self, position: usize) -> Self {
            self.0.place.line.get_or_insert(position.saturating_add(1));
            self
        }
    };
    (@part $vis:vis field) => {
        /// Returns the field, column or tensor that this error is about.
        $vis fn field(&self) -> ::std::option::Option<&str> {
            self.0.place.field.as_deref()
        }

        /// Names the field, unless one is named already. What does not look like a name may be data and is left out.
        pub(crate) fn in_field(mut self, field: ::std::option::Option<&str>) -> Self {
            if self.0.place.field.is_none() {
                let field = field.filter(|field| $crate::looks_like_name(field) || $crate::is_number(field));
                self.0.place.field = field.map(::std::borrow::ToOwned::to_owned);
            }
            self
        }
    };
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::path::Path;

    use crate::{Cause, SystemError};

    error_type! {
        /// An error of a lower crate.
        #[derive(Clone, PartialEq)]
        struct LowerError(LowerKind) at file;
    }

    #[derive(Debug, Clone, PartialEq, thiserror::Error)]
    enum LowerKind {
        #[error("cannot {doing}")]
        Io {
            doing: &'static str,
            #[source]
            cause: SystemError,
        },
        #[error("cannot compute")]
        Library(#[source] Cause),
    }

    error_type! {
        /// An error of a higher crate.
        struct HigherError(HigherKind) at subject, line, field;
    }

    #[derive(Debug, thiserror::Error)]
    enum HigherKind {
        #[error(transparent)]
        Lower(#[from] LowerError),
        #[error("there is too little")]
        TooLittle,
    }

    fn missing() -> LowerError {
        let cause = std::io::Error::from(std::io::ErrorKind::NotFound).into();
        LowerKind::Io { doing: "open it", cause }.into()
    }

    #[test]
    fn the_first_place_counts() {
        let error = HigherError::from(HigherKind::TooLittle);
        let error = error.in_line(6).in_line(9).in_field(Some("text")).in_field(Some("id")).of("a").of("b");
        assert_eq!(error.to_string(), "a: line 7, field \"text\": there is too little");
        assert_eq!((error.subject(), error.line(), error.field()), (Some("a"), Some(7), Some("text")));
        assert!(matches!(error.kind(), HigherKind::TooLittle));
    }

    #[test]
    fn a_wrapped_error_keeps_its_cause_and_names_its_file_once() {
        let error = HigherError::from(missing().in_file("a.csv")).of("a.csv");
        assert_eq!(error.to_string(), "a.csv: cannot open it");
        assert_eq!(format!("{error:?}"), "HigherError(a.csv: cannot open it: entity not found)");
        assert!(error.source().unwrap().is::<std::io::Error>());
        let HigherKind::Lower(lower) = error.kind() else { panic!("{error}") };
        assert_eq!(lower.file(), Some(Path::new("a.csv")));
    }

    #[test]
    fn a_library_error_is_a_cause() {
        let parse = "x".parse::<u8>().unwrap_err();
        let error = LowerError::from(LowerKind::Library(Cause::new(parse.clone())));
        assert_eq!(format!("{error:#}"), format!("cannot compute: {parse}"));
        assert_eq!(error.source().unwrap().to_string(), parse.to_string());
        assert_eq!(error, error.clone());
        assert!(matches!(error.kind(), LowerKind::Library(_)));
    }
}
