// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Farewell
import FarewellSQL
import Foundation
import LinearGrowth
import NIOCore
import NIOHTTP1
import Subprocess
import Testing

@Suite("Strangers' requests to a running server", .serialized)
struct ServerHostileTextTests {
    private struct Shape: Sendable {
        let name: String
        let path: String
        var type = "application/json"
        let body: @Sendable (String) -> String
    }

    private static let shapes = [
        Shape(name: "a member", path: "/v1/sign-out") { "{\"\($0)\":1}" },
        Shape(name: "a scope", path: "/v1/sign-out") { "{\"ticket\":\"t\",\"scope\":\"\($0)\"}" },
        Shape(name: "an address", path: "/auth/v1/signup") {
            "{\"email\":\"\($0)@example.org\",\"password\":\"correct horse battery\"}"
        },
        Shape(name: "an address to sign in", path: "/auth/v1/token?grant_type=password") {
            "{\"email\":\"\($0)\",\"password\":\"correct horse battery\"}"
        },
        Shape(name: "a form", path: "/account/sign-in", type: "application/x-www-form-urlencoded") { "\($0)=1&email=\($0)" },
    ]

    /// Processor time that the server has spent, in seconds.
    private func spent(_ server: RunningServer) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(server.process.value)/stat", encoding: .utf8)
        // The name, in brackets, may hold anything; fields 14 and 15 are the time in user and system mode.
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        let ticks = try #require(Int(fields[12])) + #require(Int(fields[13]))
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The least of three tries, each of eight requests.
    private func cost(_ shape: Shape, _ size: Int, _ server: RunningServer) async throws -> Double {
        let body = shape.body(HostileText.marks.text(size))
        var costs: [Double] = []
        for _ in 0..<3 {
            let begin = try spent(server)
            for _ in 0..<8 {
                var request = HTTPClientRequest(url: server.url + shape.path)
                request.method = .POST
                request.headers.add(name: "Content-Type", value: shape.type)
                request.body = .bytes(ByteBuffer(string: body))
                let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
                #expect((400..<500).contains(Int(response.status.code)), "\(shape.name): \(response.status)")
                _ = try await response.body.collect(upTo: 1 << 20)
            }
            costs.append(try spent(server) - begin)
        }
        return costs.min() ?? 0
    }

    @Test("SC-2 SRV-02 a request full of combining marks costs linear time, wherever the marks are")
    func costOfMarks() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving(ServerPlace.generous) { server in
                for shape in Self.shapes {
                    // Longer text is refused by its length.
                    let large = shape.path == "/v1/sign-out" ? 3 << 10 : shape.type.contains("form") ? 30 << 10 : 48 << 10
                    let (few, many) = (try await cost(shape, large / 16, server), try await cost(shape, large, server))
                    // Time is measured in hundredths of a second. Quadratic is 256 times as much, and more than ten seconds.
                    #expect(many < max(few, 0.02) * 48, "\(shape.name): \(few) s, then \(many) s")
                }
                #expect(try await server.ask(.GET, "/healthz").status == 200)
            }
        }
    }

    @Test("SC-2 a target or a field full of combining marks is refused before any other check, and the server stays up")
    func heads() async throws {
        let marks = String(repeating: "\u{301}\u{327}", count: 2_000)
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving(ServerPlace.generous) { server in
                for head in [
                    "GET /a\(marks) HTTP/1.1\r\nHost: localhost\r\n", "GET /healthz?a=\(marks) HTTP/1.1\r\nHost: localhost\r\n",
                    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nOrigin: a\(marks)\r\nConnection: close\r\n",
                    "GET /auth/v1/user HTTP/1.1\r\nHost: localhost\r\nCookie: a\(marks)=b\r\nConnection: close\r\n",
                    "GET /healthz?a=\(String(repeating: "%CC%81", count: 40)) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n",
                ] {
                    let answer = try await Python.run(
                        "Interop/ask_raw.py", ["127.0.0.1", "\(server.port)"], input: head + "\r\n")
                    #expect(answer.output.hasPrefix("HTTP/1.1 400 "), "\(head.prefix(60)): \(answer)")
                    #expect(answer.output.split(separator: "HTTP/1.1 ").count == 1, "\(answer)")
                }
                let name = "Zoe\u{301}'s \u{1F469}\u{200D}\u{1F4BB}"
                let named = try await server.ask(.GET, "/healthz", headers: ["X-Farewell-Device": name])
                #expect(named.status == 200)
            }
        }
    }

    @Test("SRV-06 a caller without a token is refused before its body arrives, and 200 such bodies are stored nowhere")
    func withheld() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving(ServerPlace.generous) { server in
                let end = try await Python.run(
                    "Interop/withhold_bodies.py", ["127.0.0.1", "\(server.port)", "\(server.process.value)", "200"])
                #expect(end.status == 0, "\(end)")
            }
        }
    }
}
