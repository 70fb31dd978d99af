// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes
import Logging
import Testing

@testable import FarewellServer

@Suite("Limits by address")
struct CallerNetworkTests {
    @Test("the addresses of one IPv6 network count as one caller, those of another as another, and an IPv4 address counts whole")
    func networks() {
        let one = CallerNetwork.name(of: "2001:db8:1:2:3:4:5:6")
        #expect(CallerNetwork.name(of: "2001:db8:1:2::ffff") == one)
        #expect(CallerNetwork.name(of: "2001:db8:1:3:3:4:5:6") != one)
        #expect(CallerNetwork.name(of: "192.0.2.1") == "192.0.2.1")
        #expect(CallerNetwork.name(of: "::ffff:192.0.2.1") != CallerNetwork.name(of: "::ffff:192.0.2.2"))
        #expect(CallerNetwork.name(of: "::ffff:192.0.2.1") == "192.0.2.1", "one caller, however it is written")
        #expect(CallerNetwork.name(of: "::FFFF:c000:201") == "192.0.2.1")
        #expect(CallerNetwork.name(of: "no:address") == "no:address")
    }

    @Test("SC-3 callers with IPv4 addresses are not one caller where a translator gives them IPv6 addresses of one prefix")
    func translated() {
        #expect(CallerNetwork.name(of: "64:ff9b::192.0.2.1") == "192.0.2.1")
        #expect(CallerNetwork.name(of: "64:FF9B::c000:202") == "192.0.2.2")
        #expect(CallerNetwork.name(of: "64:ff9b:0:1::c000:202") != "192.0.2.2", "outside the prefix")
    }

    @Test(
        "a port after an address does not belong to it, and an invalid address is refused",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("192.0.2.1:443", "192.0.2.1"), ("192.0.2.1:65535", "192.0.2.1"),
            ("2001:db8::1", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"), ("[2001:db8::1]:443", "2001:db8::1"),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.1"), ("[::ffff:192.0.2.1]:1", "::ffff:192.0.2.1"),
            ("", nil), ("unknown", nil), ("_hidden", nil), ("192.0.2.1:", nil), ("192.0.2.1:x", nil), (":443", nil),
            ("192.0.2.1:123456", nil), ("192.0.2", nil), ("192.0.2.1:1:2", nil), ("[192.0.2.1]:443", nil),
            ("[2001:db8::1", nil), ("[2001:db8::1]443", nil), ("[2001:db8::1]:", nil), ("host.example.org:443", nil),
            ("192.0.2.1\u{0}", nil), ("192.0.2.1 x", nil), ("[]", nil),
        ] as [(String, String?)])
    func written(_ text: String, _ address: String?) {
        #expect(CallerNetwork.address(written: text) == address)
    }

    @Test("SC-3 a proxy whose callers' addresses are not read is logged once, and a stranger's field is not taken for one")
    func proxy() {
        let lines = Guarded<[String]>([])
        let log = Logger(label: "test") { _ in
            ServerLog(.json, level: .trace) { line in lines.withLock { $0.append(line) } }
        }
        let notice = ProxyNotice()
        let forwarded: HTTPFields = [.forwardedFor: "198.51.100.7"]
        for address in ["192.0.2.1", "172.32.0.1", "100.128.0.1", "2001:db8::1", "::ffff:192.0.2.1", "::2", "a name"] {
            notice.look(at: forwarded, from: address, log)
        }
        notice.look(at: [.userAgent: "app"], from: "10.0.0.1", log)
        #expect(lines.withLock { $0 } == [])
        let near = ["127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.1", "192.168.1.1", "100.64.0.1", "::1", "fd00::1", "fe80::1"]
        for address in near + ["::ffff:10.0.0.1"] { #expect(CallerNetwork.isPrivate(address), "\(address)") }
        notice.look(at: forwarded, from: "10.0.0.1", log)
        notice.look(at: [.forwarded: "for=198.51.100.7"], from: "::1", log)
        #expect(lines.withLock { $0.count == 1 && $0[0].contains("http.client-address-field") })
    }
}
