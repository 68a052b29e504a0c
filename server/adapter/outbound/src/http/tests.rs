//! The client against real servers: whom it believes, and what it makes of compressed answers.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, mpsc};

use http::HeaderMap;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::{Failure, Http};
use crate::testing::{pinned, scope};

/// Certificates of `models.test`, one of them long expired, and the authority that signed both. The key opens nothing
/// but these tests.
macro_rules! pem {
    ($name:literal) => {
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixture/tls/", $name))
    };
}

const AUTHORITY: &[u8] = pem!("ca.pem");

/// A TLS server for one connection: where it is, and what it is asked once the handshake has gone well.
fn server(certificate: &'static [u8]) -> (SocketAddr, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (said, heard) = mpsc::channel();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(certificate).unwrap()],
            PrivateKeyDer::from_pem_slice(pem!("server.key")).unwrap(),
        )
        .unwrap();
    std::thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        let session = rustls::ServerConnection::new(Arc::new(config)).unwrap();
        let mut stream = rustls::StreamOwned::new(session, socket);
        let (mut request, mut byte) = (String::new(), [0]);
        while !request.ends_with("\r\n\r\n") && matches!(stream.read(&mut byte), Ok(1)) {
            request.push(char::from(byte[0]));
        }
        if !request.is_empty() {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}").unwrap();
            stream.flush().unwrap();
        }
        said.send(request).unwrap();
    });
    (address, heard)
}

/// Posts to a name of the server; every name is this machine.
async fn post(http: &Http, host: &str, address: SocketAddr) -> Result<Vec<u8>, Failure> {
    let target = pinned(&format!("https://{host}:{}/v1", address.port())).await;
    let response = http.post(scope().workspace_id, &target, HeaderMap::new(), Vec::new()).await?;
    response.body.whole(1024).await
}

#[tokio::test]
async fn a_certificate_of_the_name_by_a_trusted_authority_is_believed() {
    let http = Http::new(Some(AUTHORITY)).unwrap();
    let (address, heard) = server(pem!("models.pem"));
    assert_eq!(post(&http, "models.test", address).await.unwrap(), b"{}");
    let request = heard.recv().unwrap();
    assert!(request.to_ascii_lowercase().contains(&format!("host: models.test:{}", address.port())), "{request}");
}

#[tokio::test]
async fn any_other_certificate_ends_the_call_before_a_word_is_said() {
    for (case, roots, certificate, host, expected) in [
        ("an unknown authority", None, pem!("models.pem").as_slice(), "models.test", "UnknownIssuer"),
        ("another name", Some(AUTHORITY), pem!("models.pem"), "other.test", "not valid for name"),
        ("a name below it", Some(AUTHORITY), pem!("models.pem"), "eu.models.test", "not valid for name"),
        ("its address", Some(AUTHORITY), pem!("models.pem"), "127.0.0.1", "not valid for name"),
        ("an expired one", Some(AUTHORITY), pem!("expired.pem"), "models.test", "expired"),
    ] {
        let http = Http::new(roots).unwrap();
        let (address, heard) = server(certificate);
        let failure = post(&http, host, address).await.unwrap_err();
        assert!(matches!(failure, Failure::Connect(_)), "{case}: {failure:?}");
        assert!(failure.message().contains(expected), "{case}: {}", failure.message());
        assert_eq!(heard.recv().unwrap(), "", "{case}: nothing is said");
    }
}

#[tokio::test]
async fn a_server_without_tls_is_no_server_for_https() {
    let http = Http::new(Some(AUTHORITY)).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let plain = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").unwrap();
        let mut greeting = [0; 3];
        socket.read_exact(&mut greeting).unwrap();
        greeting
    });
    let failure = post(&http, "models.test", address).await.unwrap_err();
    assert!(matches!(failure, Failure::Connect(_)), "{failure:?}");
    assert_eq!(plain.join().unwrap()[0], 22, "the client opened with a handshake");
}
