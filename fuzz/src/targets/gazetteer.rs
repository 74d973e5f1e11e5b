//! Any file as a gazetteer: refused, or looked up without trouble.

use inkveil_detect::Gazetteer;

pub fn run(bytes: &[u8]) {
    if let Ok(gazetteer) = Gazetteer::from_bytes(bytes.to_vec()) {
        gazetteer.flags("ana");
        gazetteer.longest("new york city", 0);
    }
}
