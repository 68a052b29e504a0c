//! The other end of every new connection is compared with the addresses that were checked, before a request is written.
//!
//! The resolver of a pool already knows no other address. This looks at the socket itself, so that whatever stands between
//! the two, a literal in the URL included, cannot make the difference.

use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;
use http::Extensions;
use hyper_util::client::legacy::connect::{Connection, HttpInfo};
use tower::{BoxError, Layer, Service};

/// Lets only connections to these addresses through.
#[derive(Clone, Debug)]
pub(super) struct Peers(Arc<[SocketAddr]>);

impl Peers {
    pub(super) fn new(addresses: Vec<SocketAddr>) -> Self {
        Self(addresses.into())
    }

    fn has(&self, peer: Option<SocketAddr>) -> bool {
        peer.is_some_and(|peer| self.0.iter().any(|known| (known.ip(), known.port()) == (peer.ip(), peer.port())))
    }
}

impl<S> Layer<S> for Peers {
    type Service = PeerCheck<S>;

    fn layer(&self, inner: S) -> PeerCheck<S> {
        PeerCheck { inner, peers: self.clone() }
    }
}

/// A connector whose connections are looked at.
#[derive(Clone, Debug)]
pub(super) struct PeerCheck<S> {
    inner: S,
    peers: Peers,
}

/// The connection leads elsewhere. It is closed unused.
#[derive(Debug, thiserror::Error)]
#[error("the connection leads to an address that was not checked")]
struct Elsewhere;

impl<S, R> Service<R> for PeerCheck<S>
where
    S: Service<R>,
    S::Response: Connection + Send,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<S::Response, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let (connecting, peers) = (self.inner.call(request), self.peers.clone());
        async move {
            let connection = connecting.await.map_err(Into::into)?;
            let mut facts = Extensions::new();
            connection.connected().get_extras(&mut facts);
            let peer = facts.get::<HttpInfo>().map(HttpInfo::remote_addr);
            if peers.has(peer) { Ok(connection) } else { Err(Elsewhere.into()) }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use hyper_util::client::legacy::connect::HttpConnector;
    use tokio::io::AsyncReadExt;
    use tokio::net::TcpListener;
    use tower::ServiceExt;

    use super::*;

    #[tokio::test]
    async fn a_connection_to_an_unchecked_address_is_closed_unused() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let uri: http::Uri = format!("http://{address}/").parse().unwrap();
        let connect = |checked: SocketAddr| Peers::new(vec![checked]).layer(HttpConnector::new()).oneshot(uri.clone());

        assert!(connect(address).await.is_ok());
        let (first, _) = listener.accept().await.unwrap();
        drop(first);
        for other in [SocketAddr::new("127.0.0.2".parse().unwrap(), address.port()), SocketAddr::new(address.ip(), 1)] {
            let refused = connect(other).await.map(drop).unwrap_err();
            assert!(refused.is::<Elsewhere>(), "{refused}");
            let (mut unused, _) = listener.accept().await.unwrap();
            assert_eq!(unused.read(&mut [0; 8]).await.unwrap(), 0, "nothing is said on it");
        }
    }
}
