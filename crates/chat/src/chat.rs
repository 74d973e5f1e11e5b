//! What all language models have in common.

use std::ops::ControlFlow;

use crate::{Answer, Error, Request};

/// A language model that answers.
///
/// The crate's first page has an example of one.
pub trait Chat: Send + Sync {
    /// What it is called in receipts and reports: the model, and where it is.
    fn name(&self) -> String;

    /// What it answers.
    fn answer(&self, request: &Request) -> Result<Answer, Error>;

    /// What it answers to each, in order; the first failure ends it all. It may be faster than one after another.
    fn answer_each(&self, requests: &[Request]) -> Result<Vec<Answer>, Error> {
        requests.iter().map(|request| self.answer(request)).collect()
    }

    /// Several answers to one request, the first of them what [`answer`](Self::answer) gives. A local model reads the request once and writes all
    /// answers at the same time; others are asked again, with the seed, if there is one, counted up.
    ///
    /// `show` gets the number of an answer and the next piece of its text: a local model's as it is written, with the white space
    /// around it, others' when they are whole. When it breaks, everything stops, and the answers are what there is of them.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// # use inkveil_chat::{Answer, Chat, Error, Request, Settings};
    /// # struct Dice;
    /// # impl Chat for Dice {
    /// #     fn name(&self) -> String {
    /// #         "dice".to_owned()
    /// #     }
    /// #     fn answer(&self, request: &Request) -> Result<Answer, Error> {
    /// #         Ok(Answer { text: format!("{:?}", request.settings.seed), cut: false })
    /// #     }
    /// # }
    ///
    /// let request = Request::new().user("Roll.").with(Settings { seed: Some(4), ..Settings::default() });
    /// let mut shown = Vec::new();
    /// let answers = Dice.answers(&request, 2, &mut |number, piece| {
    ///     shown.push(format!("{number}: {piece}"));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!((answers.len(), shown), (2, vec!["0: Some(4)".to_owned(), "1: Some(5)".to_owned()]));
    /// # Ok::<(), Error>(())
    /// ```
    fn answers(
        &self,
        request: &Request,
        count: usize,
        show: &mut dyn FnMut(usize, &str) -> ControlFlow<()>,
    ) -> Result<Vec<Answer>, Error> {
        let mut answers = Vec::with_capacity(count);
        for number in 0..count {
            let mut request = request.clone();
            request.settings.seed = request.settings.seed.map(|seed| seed.wrapping_add(number as u64));
            let answer = self.answer(&request)?;
            let stop = show(number, &answer.text).is_break();
            answers.push(answer);
            if stop {
                break;
            }
        }
        Ok(answers)
    }
}
