//! `/v1/embeddings` and `/v1/moderations`.

pub(super) const EMBEDDINGS: &str = "
model               pass
input               veil
input[]             veil
input[][]           refuse
encoding_format     pass
dimensions          pass
user                pseudonym
";

pub(super) const MODERATIONS: &str = "
model                       pass
input                       veil
input[]                     veil
input[text].type            pass
input[text].text            veil
input[image_url].type       pass
input[image_url].image_url  media
";
