//! The common interface of language models.

use std::ops::ControlFlow;

use crate::{Answer, Error, Request};

/// A language model that answers requests.
///
/// See the crate's main page for an example.
pub trait Chat: Send + Sync {
    /// The name in receipts and reports: the model, and the server if there is one.
    fn name(&self) -> String;

    /// Whether requests leave this machine. If in doubt, they do.
    fn leaves_this_machine(&self) -> bool {
        true
    }

    /// Answers a request.
    fn answer(&self, request: &Request) -> Result<Answer, Error>;

    /// Answers each request, in order. The first failure ends the call. This may be faster than one
    /// call after another.
    fn answer_each(&self, requests: &[Request]) -> Result<Vec<Answer>, Error> {
        requests.iter().map(|request| self.answer(request)).collect()
    }

    /// Returns several answers to one request. The first one is the result of
    /// [`answer`](Self::answer). A local model reads the request once and writes all answers at the
    /// same time. Other models get the request several times, with the seed, if there is one,
    /// increased by one each time.
    ///
    /// `show` receives the number of an answer and the next piece of its text. A local model
    /// reports pieces as they are written, including surrounding white space; other models report
    /// complete answers. If `show` breaks, generation stops and the answers so far are returned.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// # use inkveil_chat::{Answer, Chat, Error, Request, AnswerSettings};
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
    /// let request = Request::new().user("Roll.").with(AnswerSettings { seed: Some(4), ..AnswerSettings::default() });
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

    /// Returns several answers to each of several requests, in order: the results of
    /// [`answers`](Self::answers). A local model writes all of them at the same time.
    ///
    /// `show` receives the numbers of a request and of an answer, and the next piece of its text. If it
    /// breaks, generation stops and the answers so far are returned.
    fn answers_to_each(
        &self,
        requests: &[Request],
        count: usize,
        show: &mut dyn FnMut(usize, usize, &str) -> ControlFlow<()>,
    ) -> Result<Vec<Vec<Answer>>, Error> {
        let mut all = Vec::with_capacity(requests.len());
        for (number, request) in requests.iter().enumerate() {
            let mut stopped = false;
            all.push(self.answers(request, count, &mut |answer, piece| {
                let flow = show(number, answer, piece);
                stopped = flow.is_break();
                flow
            })?);
            if stopped {
                break;
            }
        }
        Ok(all)
    }

    /// Returns how many answers it writes best at the same time.
    fn at_once(&self) -> usize {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnswerSettings;

    /// Answers with the seed.
    struct Counter;

    impl Chat for Counter {
        fn name(&self) -> String {
            "counter".to_owned()
        }

        fn answer(&self, request: &Request) -> Result<Answer, Error> {
            Ok(Answer { text: format!("{:?}", request.settings.seed), cut: false })
        }
    }

    #[test]
    fn other_models_answer_one_request_after_another() {
        let request = |seed| {
            Request::new().user("x").with(AnswerSettings { seed: Some(seed), ..AnswerSettings::default() })
        };
        let requests = [request(1), request(5)];
        let texts = |answers: Vec<Vec<Answer>>| -> Vec<Vec<String>> {
            answers.into_iter().map(|all| all.into_iter().map(|answer| answer.text).collect()).collect()
        };
        let all = Counter.answers_to_each(&requests, 2, &mut |_, _, _| ControlFlow::Continue(())).unwrap();
        assert_eq!(texts(all), [["Some(1)", "Some(2)"], ["Some(5)", "Some(6)"]]);
        let mut shown = Vec::new();
        let some = Counter.answers_to_each(&requests, 2, &mut |request, answer, _| {
            shown.push((request, answer));
            ControlFlow::Break(())
        });
        assert_eq!((texts(some.unwrap()), shown), (vec![vec!["Some(1)".to_owned()]], vec![(0, 0)]));
    }
}
