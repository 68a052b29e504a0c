//! Classes of addresses: public ones need a rule, private ones need to be opened too, the rest is never called.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// What it takes to call an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A rule.
    Public,
    /// A rule naming the host, and every layer opening its network.
    Private,
    /// Nobody can open it.
    Never,
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(segments: [u16; 8], prefix: u8) -> Ipv6Net {
    let [a, b, c, d, e, f, g, h] = segments;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, e, f, g, h), prefix)
}

/// Asked before [`PRIVATE_V4`]: metadata services lie inside private networks.
const NEVER_V4: [Ipv4Net; 11] = [
    v4(0, 0, 0, 0, 8),
    v4(169, 254, 0, 0, 16),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    v4(192, 88, 99, 0, 24),
    v4(224, 0, 0, 0, 4),
    v4(240, 0, 0, 0, 4),
    v4(100, 100, 100, 200, 32),
    v4(168, 63, 129, 16, 32),
];

const PRIVATE_V4: [Ipv4Net; 6] = [
    v4(10, 0, 0, 0, 8),
    v4(172, 16, 0, 0, 12),
    v4(192, 168, 0, 0, 16),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    v4(198, 18, 0, 0, 15),
];

const NEVER_V6: [Ipv6Net; 14] = [
    v6([0, 0, 0, 0, 0, 0, 0, 0], 96),
    v6([0, 0, 0, 0, 0, 0xffff, 0, 0], 96),
    v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48),
    v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32),
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10),
    v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10),
    v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8),
    v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128),
    v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128),
    v6([0x2001, 0x10, 0, 0, 0, 0, 0, 0], 28),
];

const PRIVATE_V6: Ipv6Net = v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7);

/// IPv4 behind a translator: judged as the address inside.
const NAT64: Ipv6Net = v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);

/// The class of an address.
pub fn classify(address: IpAddr) -> Class {
    match address {
        IpAddr::V4(address) => classify_v4(address),
        IpAddr::V6(address) => classify_v6(address),
    }
}

fn classify_v4(address: Ipv4Addr) -> Class {
    if NEVER_V4.iter().any(|net| net.contains(&address)) {
        Class::Never
    } else if PRIVATE_V4.iter().any(|net| net.contains(&address)) {
        Class::Private
    } else {
        Class::Public
    }
}

fn classify_v6(address: Ipv6Addr) -> Class {
    let [.., e, f, g, h] = address.segments();
    if address == Ipv6Addr::LOCALHOST {
        return Class::Private;
    }
    if NAT64.contains(&address) {
        let [a, b] = g.to_be_bytes();
        let [c, d] = h.to_be_bytes();
        return match classify_v4(Ipv4Addr::new(a, b, c, d)) {
            Class::Public => Class::Public,
            Class::Private | Class::Never => Class::Never,
        };
    }
    let isatap = f == 0x5efe && (e & 0xfdff) == 0;
    if isatap || NEVER_V6.iter().any(|net| net.contains(&address)) {
        Class::Never
    } else if PRIVATE_V6.contains(&address) {
        Class::Private
    } else {
        Class::Public
    }
}
