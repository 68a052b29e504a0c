//! Heads of requests that are too large, through real sockets: soit's own words, not the library's.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::util::process::{Soit, http_client};

/// So many headers of so many bytes.
fn headers(count: usize, bytes: usize) -> HeaderMap {
    let name = |number| format!("x-filler-{number}").parse::<HeaderName>().expect("a name");
    let value = HeaderValue::from_bytes(&vec![b'a'; bytes]).expect("a value");
    (0..count).map(|number| (name(number), value.clone())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_that_is_too_large_is_refused_in_the_words_of_its_door() {
    let mut soit = Soit::new(&[]);
    soit.start().await;
    let long = format!("?q={}", "a".repeat(33 * 1024));
    let cases = [
        (long.as_str(), HeaderMap::new(), 414, "uri_too_long"),
        ("", headers(1, 33 * 1024), 431, "headers_too_large"),
        ("", headers(1, 100 * 1024), 431, "headers_too_large"),
        ("", headers(120, 1), 431, "headers_too_large"),
    ];
    for port in soit.ports() {
        for (query, headers, status, code) in &cases {
            for path in ["/health", "/api/v1/runs", "/v1/models", "/nowhere"] {
                let request = http_client().get(format!("http://127.0.0.1:{port}{path}{query}"));
                let answer = request.headers(headers.clone()).send().await.expect("an answer");
                assert_eq!(answer.status(), *status, "{path}");
                assert!(answer.headers()["x-request-id"].to_str().is_ok_and(|id| id.starts_with("req_")));
                assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
                let body: Value = answer.json().await.expect("JSON");
                let (told, detail) = match path {
                    "/v1/models" => (&body["error"]["code"], &body["error"]["message"]),
                    _ => (&body["code"], &body["detail"]),
                };
                assert_eq!(told, code, "{path}: {body}");
                assert!(detail.as_str().is_some_and(|detail| detail.contains("32 KiB")), "{body}");
            }
        }
        let fine = http_client().get(format!("http://127.0.0.1:{port}/health?q={}", "a".repeat(30 * 1024)));
        let fine = fine.headers(headers(30, 1000)).send().await.expect("an answer");
        assert_eq!(
            (fine.status().as_u16(), fine.json::<Value>().await.expect("JSON")["status"].clone()),
            (200, json!("ok"))
        );

        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
        stream.write_all(b"no HTTP at all\r\n\r\n").await.expect("a write");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    }
}
