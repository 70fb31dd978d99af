// SPDX-License-Identifier: Apache-2.0

@testable import FarewellServer
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import Testing

@Suite("Host names that the server accepts")
struct AcceptedHostsTests {
    private static func hosts(_ names: [String]? = nil, listening: String = "127.0.0.1") -> AcceptedHosts {
        var settings = ServerSettings(host: listening)
        settings.acceptedHosts = names
        return AcceptedHosts(settings, issuer: "https://Id.Example.org:8443/auth/v1")
    }

    static let good = [
        "localhost", "localhost:9999", "LOCALHOST", "LocalHost.:1", "localhost.", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:9999",
        "id.example.org", "ID.EXAMPLE.ORG:443", "id.example.org.", "id.example.org:",
    ]
    static let bad = [
        "", " ", ".", ":", ":80", "evil.example", "localhost.evil.example", "evil.localhost", "localhost..", "localhost:x",
        "localhost:123456", "localhost:80:80", "localhost:-1", "localhost@evil.example", "user@localhost", "localhost/", "localhost ",
        " localhost", "localhost,evil.example", "127.0.0.2", "127.1", "2130706433", "0x7f.0.0.1", "::1", "[::1", "[::1]x", "[::1]:x",
        "[::2]", "[]", "0.0.0.0", "[::]", "localhost\u{0}", "localhost\u{301}", "ⅼocalhost", "lo\u{AD}calhost", "id.example.org:8443x",
        String(repeating: "a", count: 100_000), String(repeating: "localhost.", count: 100),
    ]

    @Test(
        "SC-4 SRV-04 loopback, the issuer's host and the listening address are accepted, in any spelling",
        arguments: AcceptedHostsTests.good)
    func accepted(_ authority: String) { #expect(Self.hosts().accept(authority[...])) }

    @Test("SC-4 SRV-04 any other name, or an invalid one, is refused", arguments: AcceptedHostsTests.bad)
    func refused(_ authority: String) { #expect(!Self.hosts().accept(authority[...])) }

    @Test("names in the settings replace the defaults; the machine's wildcard address is not a name")
    func named() {
        let named = Self.hosts(["API.example.org", "::1", "[2001:db8::7]"])
        for host in ["api.example.org:1", "[::1]", "[2001:DB8::7]:9"] { #expect(named.accept(host[...]), "\(host)") }
        for host in ["localhost", "127.0.0.1", "id.example.org"] { #expect(!named.accept(host[...]), "\(host)") }
        #expect(Self.hosts(listening: "10.1.2.3").accept("10.1.2.3:9999") && Self.hosts(listening: "10.1.2.3").accept("[::1]"))
        #expect(!Self.hosts(listening: "0.0.0.0").accept("0.0.0.0") && !Self.hosts(listening: "::").accept("[::]"))
        #expect(Self.hosts(listening: "2001:db8::1").accept("[2001:db8::1]:9999"))
        #expect(!Self.hosts([]).accept("localhost"))
        for text in ["", "https://id.example.org", "id.example.org:443", "[::1]:80", "a b", "ä.example", "*", "a/b", "a@b"] {
            #expect(AcceptedHosts.name(text) == nil, "\(text)")
        }
    }

    @Test("SRV-04 a request that names two hosts, or a whole foreign address, is refused")
    func requests() {
        let accepts = { (path: String, fields: HTTPFields) in
            let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path, headerFields: fields)
            return Self.hosts().accept(Request(head: head, body: RequestBody(buffer: ByteBuffer())))
        }
        #expect(accepts("/console", [:]) && accepts("http://localhost/console", [:]) && accepts("http://[::1]:1/", [:]))
        for path in ["http://evil.example/console", "http://localhost@evil.example/", "https://evil.example", "x://?localhost"] {
            #expect(!accepts(path, [:]), "\(path)")
        }
        #expect(!accepts("/console", [.secondHost: "evil.example"]))
        let head = HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/")
        #expect(!Self.hosts().accept(Request(head: head, body: RequestBody(buffer: ByteBuffer()))))
    }
}
