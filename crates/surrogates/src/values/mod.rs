//! Generators of values, one file per group of kinds.
//!
//! Each file adds methods to [`Generator`](crate::Generator). Methods such as `card` draw values for
//! training templates and sometimes draw wrong check digits or real hosts, because a tagger must find
//! those too. Methods such as `card_like` draw surrogates and never do.

mod address;
mod address_formats;
mod bank;
mod check_digits;
mod crypto;
mod dates;
mod ids;
mod internet;
mod machines;
mod money;
mod national_id;
mod organisation;
mod person;
mod phone;
mod places;
mod postal;
mod secret;
mod traits;
mod vehicle;
