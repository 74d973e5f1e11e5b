//! The gateway between real connections: a client, and an upstream that records every byte.

mod canaries;
mod faults;
mod harness;
mod leak;
mod modes;
mod others;
mod sessions;
mod streams;
