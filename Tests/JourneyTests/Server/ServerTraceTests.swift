// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Subprocess
import Testing

@Suite("Traces, with a running server and a collector")
struct ServerTraceTests {
    @Test("a call continues its caller's trace, the log shows it, and the collector learns nothing about the user")
    func exported() async throws {
        let trace = "0af7651916cd43dd8448eb211c80319c"
        let collector = Subprocess.Configuration(
            executable: .name("python3"), arguments: ["\(Python.root)/Interop/collect_spans.py"])
        try await ServerPlace.with(.sqlite) { place in
            _ = try await Subprocess.run(collector, input: .none, output: .sequence, error: .discarded) { execution in
                var lines = execution.standardOutput.strings().makeAsyncIterator()
                let address = try #require(try await lines.next()).trimmingCharacters(in: .whitespacesAndNewlines)
                // A trace that begins here is not recorded, so that the collector gets the caller's alone.
                let settings = ServerPlace.generous + "traces: {endpoint: '\(address)', percent: 0}\nlog: {format: json}\n"
                try await place.serving(settings) { server in
                    let mine = try await server.person()
                    let headers = ["traceparent": "00-\(trace)-b7ad6b7169203331-01", "X-Request-Id": "call-7"]
                    let answer = try await server.ask(
                        .GET, "/auth/v1/user?secret=canary", token: mine.access, headers: headers)
                    #expect(answer.status == 200)
                }
                let sent = try #require(try await lines.next())
                let value = try StrictJSON.value(Array(sent.trimmingCharacters(in: .whitespacesAndNewlines).utf8))
                let spans = try #require(value["resourceSpans"]?.array?[0]["scopeSpans"]?.array?[0]["spans"]?.array)
                try #require(spans.count == 1)
                #expect(spans[0]["traceId"]?.string == trace && spans[0]["parentSpanId"]?.string == "b7ad6b7169203331")
                #expect(spans[0]["name"]?.string == "GET /auth/v1/user")
                let names = spans[0]["attributes"]?.array?.compactMap { $0["key"]?.string }
                #expect(names == ["farewell.request", "http.request.method", "http.response.status_code", "http.route"])
                // No call waits until its lines are written.
                var line = ""
                try await eventually {
                    let log = try String(contentsOf: place.log, encoding: .utf8).split(separator: "\n")
                    line = log.first { $0.contains("\"call-7\"") && $0.contains("\"answered\"") }.map(String.init) ?? ""
                    return !line.isEmpty
                }
                let span = try #require(spans[0]["spanId"]?.string)
                #expect(line.contains("\"trace\":\"\(trace)\"") && line.contains("\"span\":\"\(span)\""))
            }
        }
    }
}
