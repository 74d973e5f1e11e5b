//! Tests of documents: nothing that hides in a file comes out, and everything else stays.

mod canary;
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
