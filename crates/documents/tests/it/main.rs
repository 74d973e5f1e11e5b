//! Tests of documents: nothing that hides in a file comes out, and everything else stays.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a failed step is a failed test

mod canary;
mod corpus;
mod damaged;
mod docx;
mod html;
mod mail;
mod markdown;
mod odf;
mod office;
mod others;
mod pptx;
mod xlsx;
