//! A connection to the server's socket, with TLS where the URL asks for it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::{Address, Failure};

/// Bytes in both directions.
pub(super) trait Wire: AsyncRead + AsyncWrite + Send {}
impl<S: AsyncRead + AsyncWrite + Send> Wire for S {}

/// Opens a connection. Whoever waits for it says how long.
pub(super) async fn open(address: &Address, tls: &Arc<rustls::ClientConfig>) -> Result<Pin<Box<dyn Wire>>, Failure> {
    let reached = TcpStream::connect((address.host.as_str(), address.port)).await;
    let socket = reached.map_err(|_| Failure::Unreachable)?;
    socket.set_nodelay(true).map_err(|_| Failure::Unreachable)?;
    if !address.is_tls {
        return Ok(Box::pin(socket));
    }
    let name = ServerName::try_from(address.host.clone()).map_err(|_| Failure::Tls)?;
    match TlsConnector::from(Arc::clone(tls)).connect(name, socket).await {
        Ok(stream) => Ok(Box::pin(stream)),
        Err(error) if is_about_tls(&error) => Err(Failure::Tls),
        Err(_) => Err(Failure::Unreachable),
    }
}

/// Whether the server answers words that are not encrypted. Nothing secret is said.
pub(super) async fn speaks_plainly(address: &Address) -> bool {
    let asking = async {
        let mut socket = TcpStream::connect((address.host.as_str(), address.port)).await?;
        socket.write_all(b"PING\r\n").await?;
        socket.read_u8().await
    };
    asking.await.is_ok_and(|first| matches!(first, b'+' | b'-'))
}

/// Whether the handshake failed, not the network under it.
fn is_about_tls(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>())
}
