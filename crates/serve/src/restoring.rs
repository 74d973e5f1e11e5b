//! Answers on their way back: originals replace what was veiled, in whole answers and in streams.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::response::Parts;
use axum::http::{HeaderMap, Response, StatusCode, header};
use futures_util::stream;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use tokio::sync::OwnedSemaphorePermit;

use crate::answer::Answer;
use crate::engine::Restorers;
use crate::error::Failure;
use crate::json::Json;
use crate::positions::Protocol;
use crate::secret::{CallerId, GatewaySecret};
use crate::stream::StreamRestorer;
use crate::upstream::returned;

/// The longest answer that is not a stream.
const LONGEST_ANSWER: usize = 256 << 20;

/// What restores an answer.
pub(crate) struct Restoring {
    /// The protocol of the answer.
    pub protocol: Protocol,
    /// The values to restore.
    pub restorers: Restorers,
    /// Whether the text of the answer is JSON.
    pub json_text: bool,
    /// Opens what the gateway sealed in earlier answers.
    pub secret: Arc<GatewaySecret>,
    /// The owner of the conversation.
    pub caller: CallerId,
    /// The longest wait for the next piece.
    pub longest_pause: Duration,
}

impl Restoring {
    /// Restores an answer, whole or piece by piece.
    ///
    /// # Errors
    /// If the answer cannot be read.
    pub(crate) async fn response(
        self,
        answer: Response<Incoming>,
        place: OwnedSemaphorePermit,
    ) -> Result<Response<Body>, Failure> {
        // For example a change of the protocol, which was not asked for.
        if answer.status().is_informational() {
            return Err(broken());
        }
        let kind = answer.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let kind = kind.unwrap_or_default().to_ascii_lowercase();
        let (parts, out) = match kind.starts_with("text/event-stream") {
            true => {
                let (parts, body) = answer.into_parts();
                check_encoding(&parts.headers)?;
                (parts, self.stream(body, place))
            }
            false => {
                let (parts, bytes) = whole_answer(answer, self.longest_pause).await?;
                (parts, Body::from(self.whole(&bytes)))
            }
        };
        let mut response = Response::new(out);
        *response.status_mut() = parts.status;
        *response.headers_mut() = returned(&parts.headers);
        Ok(response)
    }

    /// Restores an answer that is not a stream.
    fn whole(&self, bytes: &Bytes) -> Vec<u8> {
        match Json::parse(bytes) {
            Ok(mut document) => {
                let seals = self.secret.seals(self.caller);
                let answer = Answer { restorers: &self.restorers, seals: &seals, json_text: self.json_text };
                answer.restore(&mut document);
                document.write().into_bytes()
            }
            Err(_) => match std::str::from_utf8(bytes) {
                Ok(text) => self.restorers.text.restore_text(text).0.into_bytes(),
                Err(_) => bytes.to_vec(),
            },
        }
    }

    fn stream(self, body: Incoming, place: OwnedSemaphorePermit) -> Body {
        let restorer =
            StreamRestorer::new(self.protocol, self.restorers, self.json_text, self.secret, self.caller);
        let state = Streaming { body, restorer, pause: self.longest_pause, ended: false, _place: place };
        Body::from_stream(stream::unfold(state, Streaming::next))
    }
}

fn broken() -> Failure {
    Failure::new(StatusCode::BAD_GATEWAY, "upstream", "the answer of the upstream cannot be read")
}

/// Refuses a compressed answer, which was not asked for.
fn check_encoding(headers: &HeaderMap) -> Result<(), Failure> {
    match headers.get(header::CONTENT_ENCODING).is_some_and(|value| value != "identity") {
        true => Err(broken()),
        false => Ok(()),
    }
}

/// Reads an answer that is not a stream.
///
/// # Errors
/// If it breaks off, is compressed, is too long, or takes too long.
pub(crate) async fn whole_answer(
    answer: Response<Incoming>,
    longest: Duration,
) -> Result<(Parts, Bytes), Failure> {
    let (parts, body) = answer.into_parts();
    check_encoding(&parts.headers)?;
    let limited = Limited::new(body, LONGEST_ANSWER).collect();
    match tokio::time::timeout(longest, limited).await {
        Ok(Ok(collected)) => Ok((parts, collected.to_bytes())),
        _ => Err(broken()),
    }
}

/// A streamed answer on its way.
struct Streaming {
    body: Incoming,
    restorer: StreamRestorer,
    pause: Duration,
    ended: bool,
    _place: OwnedSemaphorePermit,
}

impl Streaming {
    async fn next(mut self) -> Option<(Result<Bytes, std::io::Error>, Self)> {
        let broken = || std::io::Error::other("the upstream broke off");
        loop {
            if self.ended {
                return None;
            }
            let piece = match tokio::time::timeout(self.pause, self.body.frame()).await {
                Ok(Some(Ok(frame))) => match frame.into_data() {
                    Ok(bytes) => self.restorer.push(&bytes).map_err(|_| broken()),
                    Err(_) => continue,
                },
                Ok(None) => {
                    self.ended = true;
                    self.restorer.finish().map_err(|_| broken())
                }
                // The caller must see that the answer is not complete.
                Ok(Some(Err(_))) | Err(_) => Err(broken()),
            };
            match piece {
                Ok(text) if text.is_empty() => {}
                Ok(text) => return Some((Ok(Bytes::from(text)), self)),
                Err(error) => {
                    self.ended = true;
                    // What came before the break is written first.
                    tokio::task::yield_now().await;
                    return Some((Err(error), self));
                }
            }
        }
    }
}
