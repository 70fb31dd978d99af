// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Farewell
import FarewellVerifier
import Foundation
import Logging
import Metrics
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Tracing

/// Collects ended spans and sends them to a collector, some at a time. Holds a bounded number: while the collector is
/// away, later ones are dropped and counted, and calls continue unchanged.
final class TraceExporter: Service {
    private let endpoint: String
    private let every: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    /// How long the collector may take in all, however slowly it answers.
    private let deadline: Deadline
    private let dropped: Counter
    private let log: Logger
    private let waiting = Guarded<[FinishedSpan]>([])
    private let client = OwnHTTPClient()

    static let most = 4_096
    private static let batch = 512

    /// - Parameter endpoint: Where the collector takes OTLP over HTTP, e.g. `http://127.0.0.1:4318/v1/traces`.
    init(
        _ endpoint: String, every: Duration = .seconds(2), sleep: @escaping @Sendable (Duration) async throws -> Void,
        metrics: any MetricsFactory, log: Logger
    ) {
        self.endpoint = endpoint
        self.every = every
        self.sleep = sleep
        deadline = Deadline(limit: .seconds(5), sleep: sleep)
        dropped = Counter(label: ServerMetric.droppedSpans.rawValue, factory: metrics)
        self.log = log
    }

    /// A tracer that sends its spans here.
    func tracer(_ percent: Int, _ world: ServerWorld) -> any Tracer {
        TraceTracer(percent: percent, makeIdentifier: world.makeIdentifier, now: world.now) { self.take($0) }
    }

    func take(_ span: FinishedSpan) {
        let isKept = waiting.withLock { waiting in
            guard waiting.count < Self.most else { return false }
            waiting.append(span)
            return true
        }
        if !isKept { dropped.increment() }
    }

    /// Sends until the server stops, and then sends the remaining spans.
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while (try? await sleep(every)) != nil { await send() }
        }
        await send()
    }

    private func send() async {
        while true {
            let spans = waiting.withLock { waiting in
                defer { waiting.removeFirst(min(Self.batch, waiting.count)) }
                return Array(waiting.prefix(Self.batch))
            }
            guard !spans.isEmpty else { return }
            guard let reason = await refusal(of: spans) else { continue }
            dropped.increment(by: Int64(spans.count))
            return log.warning(
                "Spans could not be sent.", metadata: ["spans": "\(spans.count)", "reason": "\(reason)"])
        }
    }

    /// - Returns: Why the collector did not take them; `nil` if it did.
    private func refusal(of spans: [FinishedSpan]) async -> String? {
        guard let body = try? TraceDocument.json(spans) else { return "they cannot be written" }
        var request = HTTPClientRequest(url: endpoint)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: body))
        do {
            let answered = try await deadline.run { [client, request] in
                let response = try await client.client().execute(request, deadline: .distantFuture)
                // Its connection serves the next request if the body was read.
                _ = try? await response.body.collect(upTo: 64 << 10)
                return response.status.code
            }
            guard let status = answered else { return "no answer within \(deadline.limit)" }
            return 200..<300 ~= status ? nil : "status \(status)"
        } catch {
            return ConnectionFailure.words(error)
        }
    }
}

/// Has an empty description, because a log names each service.
extension TraceExporter: CustomStringConvertible {
    var description: String { "TraceExporter" }
}
