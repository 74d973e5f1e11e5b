//! Answers of the gateway itself when something is refused or fails. They hold no content.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};

use crate::json::{Json, JsonError};
use crate::positions::Refusal;

/// Why a request got no answer of the upstream.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The status.
    pub status: StatusCode,
    /// A short name for programs.
    pub code: &'static str,
    /// What happened, and what to do.
    pub message: String,
    /// The position, if there is one.
    pub position: Option<String>,
    /// The budget: spent, asked, left.
    pub budget: Option<Box<[String; 3]>>,
}

impl Failure {
    /// A failure.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), position: None, budget: None }
    }

    /// A request that is wrong.
    pub fn bad(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// A failure of the gateway. Nothing was sent.
    pub fn unavailable(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message)
    }

    /// The answer, in the form of the protocol.
    pub fn response(&self, anthropic: bool) -> Response<Body> {
        let mut error = Json::object([("message", Json::text(format!("inkveil: {}", self.message)))]);
        match anthropic {
            true => error.set("type", Json::text(self.anthropic_type())),
            false => {
                error.set("type", Json::text("inkveil_error"));
                error.set("code", Json::text(self.code));
                error.set("param", self.position.clone().map_or(Json::Null, Json::String));
            }
        }
        if let Some([spent, asked, left]) = self.budget.as_deref() {
            for (key, value) in [("spent", spent), ("asked", asked), ("left", left)] {
                error.set(key, Json::text(value.clone()));
            }
        }
        let body = match anthropic {
            true => Json::object([("type", Json::text("error")), ("error", error)]),
            false => Json::object([("error", error)]),
        };
        let mut response = json(self.status, &body);
        response.headers_mut().insert("x-inkveil-error", HeaderValue::from_static(self.code));
        response
    }

    fn anthropic_type(&self) -> &'static str {
        match self.status.as_u16() {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            400..=499 => "invalid_request_error",
            503 => "overloaded_error",
            _ => "api_error",
        }
    }
}

/// A JSON answer.
pub(crate) fn json(status: StatusCode, body: &Json) -> Response<Body> {
    let mut response = Response::new(Body::from(body.write()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self { position: Some(refusal.path.clone()), ..Self::bad("refused_position", refusal.to_string()) }
    }
}

impl From<JsonError> for Failure {
    fn from(error: JsonError) -> Self {
        Self::bad("invalid_json", error.to_string())
    }
}

impl From<inkveil::Error> for Failure {
    fn from(error: inkveil::Error) -> Self {
        use inkveil::ErrorKind;
        use inkveil::ledger::ErrorKind as Ledger;
        if let ErrorKind::Ledger(ledger) = error.kind() {
            if let Ledger::OverLimit { spent, asked, left, .. } = ledger.kind() {
                let budget = [spent, asked, left].map(|epsilon| epsilon.readable());
                let [s, a, l] = &budget;
                let message =
                    format!("the limit of this key would be passed: ε of {s} spent, {a} asked, {l} left");
                let failure = Self::new(StatusCode::TOO_MANY_REQUESTS, "over_limit", message);
                return Self { budget: Some(Box::new(budget)), ..failure };
            }
            if matches!(ledger.kind(), Ledger::OverDelta { .. } | Ledger::OtherMetric { .. }) {
                let message = "the limit of this key does not allow this mode";
                return Self::new(StatusCode::TOO_MANY_REQUESTS, "over_limit", message);
            }
        }
        Self::unavailable("veil_failed", "the text could not be veiled, so nothing was sent")
    }
}
