//! A cheap client: a few connections, a request on each, then the answers.
//!
//! It never sleeps. The kernel charges waking a sleeping reader to the server that writes, on a virtual machine often as
//! much as the answer itself. A server that has answered before the reader sleeps does not pay for it, so the ratio
//! of two servers would tell how long each takes and not what it costs.

use std::error::Error;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

const CONNECTIONS: usize = 16;
/// Longer than any answer takes, under `valgrind` too.
const LIMIT: Duration = Duration::from_mins(1);

pub(crate) struct Client {
    connections: Vec<TcpStream>,
    request: Vec<u8>,
    buffer: Vec<u8>,
}

impl Client {
    /// A client of the server at this address.
    pub(crate) fn connect(address: SocketAddr, body: &str) -> Result<Self, Box<dyn Error>> {
        Self::through(address, "", body)
    }

    /// A client that calls a server through the proxy at this address: `http://model.example`.
    pub(crate) fn through(address: SocketAddr, origin: &str, body: &str) -> Result<Self, Box<dyn Error>> {
        let mut connections = Vec::with_capacity(CONNECTIONS);
        for _ in 0..CONNECTIONS {
            let stream = TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            connections.push(stream);
        }
        let request = format!(
            "POST {origin}/v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer sk-test\r\n\
             content-type: application/json\r\nuser-agent: bench\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        Ok(Self { connections, request: request.into_bytes(), buffer: vec![0; 1 << 16] })
    }

    /// Sends one request; returns its answer, head and body.
    pub(crate) fn once(&mut self) -> Result<Vec<u8>, Box<dyn Error>> {
        self.connections[0].write_all(&self.request)?;
        read(&mut self.connections[0], &mut self.buffer).map(<[u8]>::to_vec)
    }

    /// Sends this many requests; returns the time of each in microseconds.
    pub(crate) fn many(&mut self, count: usize) -> Result<Vec<f64>, Box<dyn Error>> {
        let mut times = Vec::with_capacity(count);
        let mut sent = Vec::with_capacity(CONNECTIONS);
        for _ in 0..count.div_ceil(CONNECTIONS) {
            sent.clear();
            for connection in &mut self.connections {
                sent.push(Instant::now());
                connection.write_all(&self.request)?;
            }
            for (connection, sent) in self.connections.iter_mut().zip(&sent) {
                read(connection, &mut self.buffer)?;
                times.push(sent.elapsed().as_secs_f64() * 1e6);
            }
        }
        Ok(times)
    }
}

/// Reads one answer, head and body.
fn read<'b>(stream: &mut TcpStream, buffer: &'b mut [u8]) -> Result<&'b [u8], Box<dyn Error>> {
    let mut filled = 0;
    loop {
        filled += receive(stream, &mut buffer[filled..])?;
        let Some(head) = buffer[..filled].windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let text = std::str::from_utf8(&buffer[..head])?;
        if !text.starts_with("HTTP/1.1 200") {
            return Err(text.to_owned().into());
        }
        let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")).ok_or("no length")?;
        let end = head + 4 + length.parse::<usize>()?;
        while filled < end {
            filled += receive(stream, &mut buffer[filled..])?;
        }
        return Ok(&buffer[..end]);
    }
}

/// Waits for the next bytes without sleeping.
fn receive(stream: &mut TcpStream, buffer: &mut [u8]) -> Result<usize, Box<dyn Error>> {
    let begin = Instant::now();
    loop {
        match stream.read(buffer) {
            Ok(0) => return Err("the server closed the connection".into()),
            Ok(count) => return Ok(count),
            Err(error) if error.kind() != ErrorKind::WouldBlock => return Err(error.into()),
            Err(_) if begin.elapsed() > LIMIT => return Err("the server does not answer".into()),
            // Lets the server run if there is no other core for it.
            Err(_) => std::thread::yield_now(),
        }
    }
}

/// The value at this percentile.
pub(super) fn percentile(mut values: Vec<f64>, percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() * percent / 100).min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or(f64::NAN)
}
