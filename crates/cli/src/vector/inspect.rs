//! `inkveil vector inspect`: the content of masks, and the dimensions they share.

use anyhow::ensure;
use inkveil::Mask;
use inkveil::files::Output;
use inkveil::pages::mask_map;

use crate::args::InspectArgs;
use crate::outcome::Outcome;
use crate::printed;

pub(super) fn run(args: &InspectArgs) -> anyhow::Result<Outcome> {
    let masks = args.masks.iter().map(|file| Mask::open(file)).collect::<Result<Vec<_>, _>>()?;
    if let Some(path) = &args.svg {
        let dim = masks[0].dim();
        ensure!(
            masks.iter().all(|mask| mask.dim() == dim),
            "masks of different encoders cannot be drawn together"
        );
        ensure!(
            masks.iter().all(Mask::has_gates),
            "only masks with gates can be drawn; an eraser has directions and no dimensions"
        );
        ensure!((1..=100).contains(&args.top), "--top must be from 1 to 100");
        let output = Output::file(path, args.force)?;
        output.put(mask_map(&masks, args.top).as_bytes())?;
    }
    const FAILURE: &str = "cannot write to standard output";
    if args.json {
        printed::json(&masks.iter().map(Mask::to_json).collect::<Vec<_>>(), FAILURE)?;
    } else {
        for (mask, file) in masks.iter().zip(&args.masks) {
            let words = mask.in_words(inkveil::DEFAULT_AXES);
            printed::line(format_args!("{}\n{words}", file.display()), FAILURE)?;
        }
    }
    Ok(Outcome::Success)
}
