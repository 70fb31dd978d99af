// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellServer
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing
import Tracing

@Suite("Spans waiting for a collector")
struct TraceExporterTests {
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Ends the pause between two deliveries, as the stop of a server does.
    private static let sleepOfStoppingServer: @Sendable (Duration) async throws -> Void = { pause in
        if pause == .seconds(2) { throw CancellationError() }
        try await ContinuousClock().sleep(for: pause)
    }

    private func span(_ name: String) -> FinishedSpan {
        var attributes = SpanAttributes()
        attributes["http.response.status_code"] = 503
        attributes["http.route"] = "/auth/v1/user"
        return FinishedSpan(
            context: TraceContext(
                trace: "0af7651916cd43dd8448eb211c80319c", span: "b7ad6b7169203331", isSampled: true, state: "v=1"),
            parent: "00f067aa0ba902b7", kind: .server, start: Date(timeIntervalSince1970: 1_700_000_000.25),
            end: Date(timeIntervalSince1970: 1_700_000_001), name: name, attributes: attributes,
            status: SpanStatus(code: .error))
    }

    @Test("spans are sent as OTLP in JSON, and the rest goes out when the server stops")
    func sent() async throws {
        let bodies = Guarded<[Data]>([])
        let router = Router()
        router.post("/v1/traces") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            bodies.withLock { $0.append(Data(body.readableBytesView)) }
            return "{}"
        }
        try await Application(router: router, logger: log).test(.live) { client in
            let port = try #require(client.port)
            let exporter = TraceExporter(
                "http://127.0.0.1:\(port)/v1/traces", sleep: Self.sleepOfStoppingServer, metrics: MetricsRegistry(), log: log)
            exporter.take(span("GET /auth/v1/user"))
            try await exporter.run()
        }
        let body = try #require(bodies.withLock { $0 }.first)
        let value = try StrictJSON.value(Array(body))
        let group = try #require(value["resourceSpans"]?.array?.first)
        #expect(group["resource"]?["attributes"]?.array?.first?["value"]?["stringValue"] == "farewell")
        let sent = try #require(group["scopeSpans"]?.array?.first?["spans"]?.array?.first)
        #expect(sent["traceId"] == "0af7651916cd43dd8448eb211c80319c" && sent["spanId"] == "b7ad6b7169203331")
        #expect(sent["parentSpanId"] == "00f067aa0ba902b7" && sent["traceState"] == "v=1" && sent["kind"] == 2)
        #expect(sent["startTimeUnixNano"] == "1700000000250000000" && sent["endTimeUnixNano"] == "1700000001000000000")
        #expect(sent["status"]?["code"] == 2)
        let status = try #require(sent["attributes"]?.array?.first { $0["key"] == "http.response.status_code" })
        #expect(status["value"]?["intValue"] == "503")
    }

    @Test("while the collector is unavailable a limited number is kept, and every lost span is counted")
    func away() async throws {
        let metrics = MetricsRegistry()
        let exporter = TraceExporter(
            "http://127.0.0.1:1/v1/traces", sleep: Self.sleepOfStoppingServer, metrics: metrics, log: log)
        for _ in 0..<(TraceExporter.most + 3) { exporter.take(span("GET /auth/v1/user")) }
        #expect(metrics.exposition.contains("farewell_spans_dropped_total 3"))
        try await exporter.run()
        #expect(metrics.exposition.contains("farewell_spans_dropped_total 515"), "a batch that no receiver took is not kept")
    }

    @Test("a collector whose answer never ends does not hold up the stop of the server", .timeLimit(.minutes(30)))
    func endless() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let isLeft = Guarded(false)
        let router = Router()
        router.post("/v1/traces") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    begin.yield()
                    while !isLeft.withLock({ $0 }) {
                        try await writer.write(ByteBuffer(string: "."))
                        try await ContinuousClock().sleep(for: .milliseconds(20))
                    }
                })
        }
        let metrics = MetricsRegistry()
        try await Application(router: router, logger: log).test(.live) { client in
            let port = try #require(client.port)
            let exporter = TraceExporter(
                "http://127.0.0.1:\(port)/v1/traces",
                sleep: { pause in
                    if pause == .seconds(2) { throw CancellationError() }
                    for await _ in begun { return }
                }, metrics: metrics, log: log)
            exporter.take(span("GET /auth/v1/user"))
            try await exporter.run()
            isLeft.withLock { $0 = true }
        }
        #expect(metrics.exposition.contains("farewell_spans_dropped_total 1"))
    }
}
