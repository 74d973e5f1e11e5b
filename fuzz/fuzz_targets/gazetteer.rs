//! Any file as a gazetteer: refused, or looked up without trouble.
#![no_main]

use inkveil_detect::Gazetteer;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(gazetteer) = Gazetteer::from_bytes(bytes.to_vec()) {
        gazetteer.flags("ana");
        gazetteer.longest("new york city", 0);
    }
});
