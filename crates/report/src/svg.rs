//! The frame of every drawing: its size, its description for screen readers, and its colours.

use crate::escape::Escaped;
use crate::palette;

/// The colours of drawings. Every rule is inside the class `plot`, because a page shares its
/// styles.
pub(crate) fn style() -> String {
    format!("{}{}", include_str!("../styles/drawing.css"), palette::rules(".plot"))
}

/// A finished drawing.
pub(crate) struct Drawing<'a> {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) title: &'a str,
    pub(crate) about: &'a str,
    pub(crate) body: &'a str,
}

impl Drawing<'_> {
    /// The drawing as a file. It needs no other file, follows a dark screen and prints in light
    /// colours.
    pub(crate) fn file(&self) -> String {
        let Self { width, height, body, .. } = self;
        let (title, about, style) = (Escaped(self.title), Escaped(self.about), style());
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" style=\"max-width:100%;height:auto\" role=\"img\" \
             aria-labelledby=\"plot-title plot-about\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n\
             <title id=\"plot-title\">{title}</title>\n<desc id=\"plot-about\">{about}</desc>\n\
             <style>\n{style}</style>\n\
             <rect class=\"background\" width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#fff\"/>\n{body}</svg>\n"
        )
    }

    /// The drawing as a part of a page, which has the styles already. `id` is unique on the page.
    pub(crate) fn part(&self, id: &str) -> String {
        let Self { width, height, body, .. } = self;
        let title = Escaped(self.title);
        format!(
            "<svg class=\"plot\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
             aria-labelledby=\"{id}\">\n<title id=\"{id}\">{title}</title>\n{body}</svg>\n"
        )
    }
}
