//! One HTTP/1.1 connection to a target.

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Sends requests, one after the other.
pub(crate) type Sender = SendRequest<Full<Bytes>>;

pub(crate) async fn connect(port: u16) -> Result<Sender, String> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.map_err(|error| error.to_string())?;
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    #[expect(clippy::disallowed_methods, reason = "the connection ends with its caller")]
    tokio::spawn(connection);
    Ok(sender)
}

/// A GET; its answer, once it has begun well.
pub(crate) async fn open(sender: &mut Sender, credential: Option<&str>, path: &str) -> Result<Incoming, String> {
    sender.ready().await.map_err(|error| error.to_string())?;
    let mut request = Request::get(path).header("host", "127.0.0.1");
    if let Some(credential) = credential {
        request = request.header("authorization", credential);
    }
    let request = request.body(Full::default()).map_err(|error| error.to_string())?;
    let answer = sender.send_request(request).await.map_err(|error| error.to_string())?;
    let status = answer.status();
    if status.is_success() { Ok(answer.into_body()) } else { Err(format!("{path}: {status}")) }
}

/// A GET; its whole body.
pub(crate) async fn ask(sender: &mut Sender, credential: Option<&str>, path: &str) -> Result<Bytes, String> {
    let body = open(sender, credential, path).await?;
    Ok(body.collect().await.map_err(|error| error.to_string())?.to_bytes())
}
