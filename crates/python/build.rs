//! The flags with which some systems link a library that Python loads.

fn main() {
    // Else any file of the package that changes would build the extension again.
    println!("cargo::rerun-if-changed=build.rs");
    pyo3_build_config::add_extension_module_link_args();
}
