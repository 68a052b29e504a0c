//! A name server that answers as it is told.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::net::UdpSocket;
use tokio::task::AbortHandle;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The name, lower case, without trailing dot.
    pub name: String,
    /// Whether addresses of IPv6 are wanted, else of IPv4.
    pub wants_v6: bool,
}

/// A running name server; dropping it ends it.
#[derive(Debug)]
pub struct NameServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Question>>>,
    task: AbortHandle,
}

impl NameServer {
    /// Listens on a free loopback port. The script is given a question and how often it was asked before; it gives the
    /// addresses of both families, or nothing for silence. No answer may be kept.
    pub async fn start(
        script: impl Fn(&Question, usize) -> Option<Vec<IpAddr>> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let socket = UdpSocket::bind(("127.0.0.1", 0)).await?;
        let address = socket.local_addr()?;
        let asked = Arc::<Mutex<Vec<Question>>>::default();
        let noted = Arc::clone(&asked);
        #[expect(clippy::disallowed_methods, reason = "ends with the test, or when the name server is dropped")]
        let task = tokio::spawn(async move {
            let mut packet = [0; 1500];
            while let Ok((length, peer)) = socket.recv_from(&mut packet).await {
                let Some((question, end)) = packet.get(..length).and_then(read) else { continue };
                let before = {
                    let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
                    let before = noted.iter().filter(|earlier| **earlier == question).count();
                    noted.push(question.clone());
                    before
                };
                let answer = script(&question, before);
                if let Some(answer) = answer.and_then(|found| write(packet.get(..end)?, &question, &found)) {
                    // A client that is gone needs no answer.
                    let _ = socket.send_to(&answer, peer).await;
                }
            }
        })
        .abort_handle();
        Ok(Self { address, asked, task })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every question so far.
    pub fn asked(&self) -> Vec<Question> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The first question of a packet, and where it ends.
fn read(packet: &[u8]) -> Option<(Question, usize)> {
    let mut labels = Vec::new();
    let mut at = 12;
    loop {
        let length = usize::from(*packet.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        labels.push(String::from_utf8_lossy(packet.get(at..at + length)?).to_ascii_lowercase());
        at += length;
    }
    let wants_v6 = packet.get(at..at + 2)? == [0, 28];
    Some((Question { name: labels.join("."), wants_v6 }, at + 4))
}

/// The answer to a packet that ends with its question.
fn write(asked: &[u8], question: &Question, found: &[IpAddr]) -> Option<Vec<u8>> {
    let found: Vec<&IpAddr> = found.iter().filter(|address| address.is_ipv6() == question.wants_v6).collect();
    let mut answer = asked.get(..2)?.to_vec();
    // An answer, recursion available, no error; one question, the records, nothing else.
    answer.extend([0x81, 0x80, 0, 1, 0, u8::try_from(found.len()).ok()?, 0, 0, 0, 0]);
    answer.extend(asked.get(12..)?);
    for address in found {
        let bytes = match address {
            IpAddr::V4(address) => address.octets().to_vec(),
            IpAddr::V6(address) => address.octets().to_vec(),
        };
        // The name of the question, its type, class IN, a life of no seconds.
        answer.extend([0xc0, 12, 0, if address.is_ipv6() { 28 } else { 1 }, 0, 1, 0, 0, 0, 0]);
        answer.extend([0, u8::try_from(bytes.len()).ok()?]);
        answer.extend(bytes);
    }
    Some(answer)
}
