// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Testing

@Suite("The end of a request")
struct ServerFramingTests {
    @Test("SC-4 a body with an ambiguous length is refused, and nothing after it is read")
    func framing() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving { server in
                let next = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                func ask(_ fields: String, _ body: String, version: String = "1.1") async throws -> String {
                    let head = "POST /v1/sign-out HTTP/\(version)\r\nHost: localhost\r\n"
                    return try await Python.run(
                        "Interop/ask_raw.py", ["127.0.0.1", "\(server.port)"], input: head + fields + "\r\n" + body + next
                    ).output
                }
                let chunks = "2\r\n{}\r\n0\r\n\r\n"
                for fields in [
                    "Transfer-Encoding: identity\r\n", "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
                    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked, chunked\r\n",
                    "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: x\r\n", "Transfer-Encoding:\r\n",
                    "Transfer-Encoding: chunked;q=1\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 12\r\n",
                    "Content-Length: 12\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 12\r\nContent-Length: 12\r\n",
                    "Transfer-Encoding: identity\r\nContent-Length: 12\r\n",
                ] {
                    let answer = try await ask(fields, chunks)
                    #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(fields): \(answer)")
                    #expect(answer.split(separator: "HTTP/1.1 ").count == 1, "\(fields): \(answer)")
                    #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(fields): \(answer)")
                }
                #expect(try await ask("Transfer-Encoding: chunked\r\n", chunks, version: "1.0").hasPrefix("HTTP/1.1 400 "))
                // A body with one length is read completely, and the next request answered.
                for fields in ["Transfer-Encoding: chunked\r\n", "Transfer-Encoding: Chunked \r\n", "Content-Length: 12\r\n"] {
                    let answer = try await ask(fields, fields.hasPrefix("C") ? #"{"ticket":""}"#.prefix(12) + "" : chunks)
                    #expect(answer.split(separator: "HTTP/1.1 ").count == 2, "\(fields): \(answer)")
                    #expect(answer.contains("HTTP/1.1 200 "), "\(fields): \(answer)")
                }
            }
        }
    }
}
