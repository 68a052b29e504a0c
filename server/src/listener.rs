//! A listening socket served over HTTP/1.1, with limits against slow and too many clients.
//!
//! A TLS proxy in front speaks HTTP/2 to browsers. Dropping [`serve`]'s future cuts every connection.

use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::ConnectInfo;
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::Sleep;
use tower::ServiceExt;

use crate::shutdown::Shutdown;

/// Slowest body that is still waited for, in bytes a second.
const SLOWEST: u64 = 16 * 1024;
/// Most bytes and headers the head of a request may have here. The doors refuse far less, in their own words.
const HEAD: usize = 128 * 1024;
const HEADERS: usize = 256;
/// Pause after a failed accept: the system is out of something, most likely of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// What a listener allows its clients.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at once; more wait in the system's queue.
    pub max_connections: usize,
    /// Time for the head of a request; an idle connection is closed after it.
    pub header_timeout: Duration,
}

/// The body of a request did not arrive in time.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the body did not arrive in time")]
pub struct BodyTimeout;

/// Serves until nothing new is to begin, then lets open requests end.
pub async fn serve(socket: TcpListener, router: Router, limits: Limits, shutdown: Shutdown) {
    let slots = Arc::new(Semaphore::new(limits.max_connections));
    let mut connections = JoinSet::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.header_timeout).max_buf_size(HEAD).max_headers(HEADERS);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&socket, &slots) => accepted,
            Some(_) = connections.join_next() => continue,
            () = shutdown.stopping() => break,
        };
        let Some((stream, peer, slot)) = accepted else { continue };
        let (router, place) = (router.clone(), slot.clone());
        let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
            let mut request = request.map(|body| Body::new(PacedBody::new(body, limits.header_timeout)));
            request.extensions_mut().insert(ConnectInfo(peer));
            request.extensions_mut().insert(place.clone());
            router.clone().oneshot(request)
        });
        let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
        let shutdown = shutdown.clone();
        connections.spawn(async move {
            let mut connection = pin!(connection);
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                () = shutdown.stopping() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            // An error is the client's affair: it left, was too slow, or spoke no HTTP.
            if let Err(error) = ended {
                tracing::debug!(%error, "connection ended");
            }
            drop(slot);
        });
    }
    drop(socket);
    while connections.join_next().await.is_some() {}
}

/// The place of a connection among those at once, free again with its last clone.
#[derive(Clone, Debug)]
pub(crate) struct Slot(#[expect(dead_code, reason = "held, not read")] Arc<OwnedSemaphorePermit>);

async fn accept(socket: &TcpListener, slots: &Arc<Semaphore>) -> Option<(TcpStream, SocketAddr, Slot)> {
    let slot = Slot(Arc::new(Arc::clone(slots).acquire_owned().await.ok()?));
    match socket.accept().await {
        Ok((stream, peer)) => {
            // Without it every small answer waits for the peer's delayed acknowledgement.
            stream.set_nodelay(true).ok()?;
            Some((stream, peer, slot))
        }
        Err(error) => {
            tracing::warn!(%error, "cannot accept a connection");
            tokio::time::sleep(PAUSE).await;
            None
        }
    }
}

/// A request's body that must arrive within a time that grows with what has arrived.
struct PacedBody<B> {
    body: B,
    patience: Duration,
    received: u64,
    deadline: Option<Pin<Box<Sleep>>>,
    started: Option<tokio::time::Instant>,
}

impl<B> PacedBody<B> {
    fn new(body: B, patience: Duration) -> Self {
        Self { body, patience, received: 0, deadline: None, started: None }
    }

    /// Whether the time for what is still missing is over.
    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let started = *self.started.get_or_insert_with(tokio::time::Instant::now);
        let allowed = self.patience + Duration::from_secs(self.received / SLOWEST);
        let deadline = started + allowed;
        let sleep = self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        if sleep.deadline() != deadline {
            sleep.as_mut().reset(deadline);
        }
        sleep.as_mut().poll(cx)
    }
}

impl<B> HttpBody for PacedBody<B>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<axum::BoxError>,
{
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = self.get_mut();
        let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) else {
            ready!(this.poll_deadline(cx));
            return Poll::Ready(Some(Err(BodyTimeout.into())));
        };
        if let Some(Ok(data)) = frame.as_ref().map(|frame| frame.as_ref().map(Frame::data_ref)) {
            this.received += data.map_or(0, |data| u64::try_from(data.len()).unwrap_or_default());
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Json;
    use axum::routing::post;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    struct Server {
        address: SocketAddr,
        shutdown: Shutdown,
        serving: tokio::task::JoinHandle<()>,
    }

    #[expect(clippy::disallowed_methods, reason = "the test waits for the task itself")]
    async fn start(limits: Limits) -> Server {
        let router = Router::new().route("/", post(|_: Json<serde_json::Value>| async {}));
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, shutdown) = (socket.local_addr().unwrap(), Shutdown::default());
        let serving = tokio::spawn(serve(socket, router, limits, shutdown.clone()));
        Server { address, shutdown, serving }
    }

    const QUICK: Limits = Limits { max_connections: 2, header_timeout: Duration::from_millis(100) };

    async fn answer(server: &Server, text: &str) -> String {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn slow_heads_and_bodies_end_and_free_their_slot() {
        let server = start(QUICK).await;
        for _ in 0..3 {
            assert_eq!(answer(&server, "POST / HTTP/1.1\r\nhost: x\r\n").await, "");
            let slow = answer(
                &server,
                "POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 5\r\n\r\n\"a",
            )
            .await;
            assert!(slow.starts_with("HTTP/1.1 408"), "{slow}");
        }
    }

    #[tokio::test]
    async fn an_open_request_is_answered_after_the_listener_closed() {
        let server = start(Limits { header_timeout: Duration::from_secs(5), ..QUICK }).await;
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream
            .write_all(
                b"POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 7\r\nexpect: 100-continue\r\n\r\n",
            )
            .await
            .unwrap();
        let mut interim = [0; 25];
        stream.read_exact(&mut interim).await.unwrap();
        assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n", "the handler is reading");
        server.shutdown.stop();
        while TcpStream::connect(server.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
        stream.write_all(b"{\"a\":1}").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("connection: close"), "{answer}");
        server.serving.await.unwrap();
    }
}
