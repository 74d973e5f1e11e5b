//! Characters that a terminal would act on, made visible.

pub(crate) use inkveil_report::stand_in;
