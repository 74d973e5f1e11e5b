//! Requests to the object storage: encrypted, without redirects, and on threads of their own.
//!
//! Queries compute on the threads of the runtime for seconds at a time. Requests on the same threads would run out of time.

use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::BodyExt as _;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService,
};
use reqwest::redirect::Policy;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

const CONNECT_TIME: Duration = Duration::from_secs(10);
/// The longest pause within an answer.
const READ_TIME: Duration = Duration::from_secs(60);
/// Pieces of an answer that wait to be read. More would fill the memory if a query is slower than the network.
const WAITING: usize = 64;

/// Makes clients. The settings of the store are not used: the environment must not switch off the checks of certificates.
#[derive(Debug)]
pub(super) struct Connector {
    /// Whether the endpoint is on this machine.
    pub(super) is_here: bool,
}

impl HttpConnector for Connector {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        // A redirect would send a signed request, and maybe rows, to another server.
        let builder = reqwest::Client::builder()
            .user_agent("inkveil-sql")
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIME)
            .read_timeout(READ_TIME);
        let builder = match self.is_here {
            // A proxy would see the requests.
            true => builder.no_proxy(),
            false => builder.https_only(true),
        };
        let generic = |source| object_store::Error::Generic { store: "S3", source };
        let client = builder.build().map_err(|error| generic(Box::new(error)))?;
        let runtime = runtime().ok_or_else(|| generic("the system refuses to start threads".into()))?;
        Ok(HttpClient::new(Service { client, runtime }))
    }
}

/// The threads of requests. They end with the program.
fn runtime() -> Option<&'static Runtime> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let start =
        || Builder::new_multi_thread().worker_threads(1).thread_name("storage").enable_all().build().ok();
    RUNTIME.get_or_init(start).as_ref()
}

#[derive(Debug, Clone)]
struct Service {
    client: reqwest::Client,
    runtime: &'static Runtime,
}

#[async_trait]
impl HttpService for Service {
    async fn call(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        // A space in a query is written as `+`, but signed as `%20`. Servers that check the signature of what was sent refuse
        // it.
        if let Some((path, query)) = request.uri().to_string().split_once('?')
            && query.contains('+')
            && let Ok(uri) = format!("{path}?{}", query.replace('+', "%20")).parse()
        {
            *request.uri_mut() = uri;
        }
        let client = self.client.clone();
        let (send_head, head) = oneshot::channel();
        let (send_frame, frames) = mpsc::channel(WAITING);
        let task = Task(self.runtime.spawn(async move {
            let response = match HttpService::call(&client, request).await {
                Ok(response) => response,
                Err(error) => {
                    let _ = send_head.send(Err(error));
                    return;
                }
            };
            let (parts, mut body) = response.into_parts();
            if send_head.send(Ok(parts)).is_err() {
                return;
            }
            while let Some(frame) = body.frame().await {
                if send_frame.send(frame).await.is_err() {
                    return;
                }
            }
        }));
        let parts = head.await.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error))??;
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(Answer { frames, _task: task })))
    }
}

/// Work that ends when its answer is no longer wanted.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct Answer {
    frames: mpsc::Receiver<Result<Frame<Bytes>, HttpError>>,
    _task: Task,
}

impl Body for Answer {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        self.frames.poll_recv(context)
    }
}
