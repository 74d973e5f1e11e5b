//! What is known about names: genders, short forms, titles.

mod given;
mod title;

pub use given::{Gender, gender_of};
pub(crate) use given::{all_of, are_short_forms, is_given_name};
pub(crate) use title::{
    is_title_or_given_name, kin_gender, stands_before_names, title_before, title_gender, title_of,
};
