//! Settings that are one of several named choices.

/// Defines a setting with named choices.
macro_rules! choice {
    ($(#[$doc:meta])* $type:ident $what:literal { $($(#[$about:meta])* $variant:ident $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub enum $type {
            $($(#[$about])* $variant,)*
        }

        impl $type {
            /// All choices.
            pub const ALL: [$type; [$($name),*].len()] = [$($type::$variant),*];

            /// Returns its name in settings.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name,)* }
            }
        }

        impl std::str::FromStr for $type {
            type Err = inkveil_settings::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let unknown =
                    || inkveil_settings::UnknownName::new($what, name, Self::ALL.iter().map(|c| c.name()));
                Self::ALL.into_iter().find(|choice| choice.name() == name).ok_or_else(unknown)
            }
        }
    };
}

pub(crate) use choice;
