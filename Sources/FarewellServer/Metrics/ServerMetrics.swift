// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes
import Metrics

/// The server's own metrics.
final class ServerMetrics: Sendable {
    private let factory: any MetricsFactory
    private let inFlight: Meter
    private let feeds: Meter
    /// Made once for each route and status, since making one takes a lock and a search.
    private let requests = Guarded<[Answer: Counter]>([:])
    private let durations = Guarded<[String: Timer]>([:])

    private struct Answer: Hashable {
        let method: String
        let route: String
        let status: Int
    }

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        inFlight = Meter(label: ServerMetric.inFlight.rawValue, factory: factory)
        feeds = Meter(label: ServerMetric.followers.rawValue, factory: factory)
    }

    func began() { inFlight.increment() }

    func ended(_ method: String, _ route: String, _ status: HTTPResponse.Status, took: Duration) {
        inFlight.decrement()
        let answer = Answer(method: method, route: route, status: status.code)
        counter(of: answer).increment()
        let parts = took.components
        timer(of: route).recordNanoseconds(parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
    }

    private func counter(of answer: Answer) -> Counter {
        requests.withLock { counters in
            if let counter = counters[answer] { return counter }
            let counter = makeCounter(answer)
            counters[answer] = counter
            return counter
        }
    }

    private func timer(of route: String) -> Timer {
        durations.withLock { timers in
            if let timer = timers[route] { return timer }
            let timer = makeTimer(route)
            timers[route] = timer
            return timer
        }
    }

    /// A refusal by its code, e.g. `session_not_found`.
    func refused(_ code: String) {
        Counter(label: ServerMetric.refusals.rawValue, dimensions: [("code", code)], factory: factory).increment()
    }

    /// A call that was one too many, by what limited it: `address` or `account`.
    func limited(_ by: String) {
        Counter(label: ServerMetric.rateLimited.rawValue, dimensions: [("by", by)], factory: factory).increment()
    }

    func followerCame() { feeds.increment() }
    func followerWent() { feeds.decrement() }

    /// The state of plan and erasures when the metrics are read.
    func erasures(_ counts: [ErasureState: Int]?, failingRetentions: Int?, isPlanFit: Bool) {
        Meter(label: ServerMetric.planFits.rawValue, factory: factory).set(isPlanFit ? 1 : 0)
        if let failingRetentions {
            Meter(label: ServerMetric.failingRetentions.rawValue, factory: factory).set(failingRetentions)
        }
        guard let counts else { return }
        for state in ErasureState.allCases where state.isLive {
            Meter(label: ServerMetric.erasures.rawValue, dimensions: [("state", state.rawValue)], factory: factory)
                .set(counts[state] ?? 0)
        }
    }

    /// Whether the clock may decide what cannot be undone when the metrics are read.
    func clock(isTrusted: Bool) {
        Meter(label: ServerMetric.clockTrusted.rawValue, factory: factory).set(isTrusted ? 1 : 0)
    }

    /// Counts erasures of which a worker of this process could not write any more: another one has taken them over, or
    /// an operator holds them.
    static func fencedWrites(_ factory: any MetricsFactory) -> @Sendable () -> Void {
        let counter = Counter(label: ServerMetric.fencedWrites.rawValue, factory: factory)
        return { counter.increment() }
    }

    private func makeCounter(_ answer: Answer) -> Counter {
        Counter(
            label: ServerMetric.requests.rawValue,
            dimensions: [("method", answer.method), ("route", answer.route), ("status", String(answer.status))],
            factory: factory)
    }

    private func makeTimer(_ route: String) -> Timer {
        Timer(
            label: ServerMetric.durations.rawValue, dimensions: [("route", route)],
            preferredDisplayUnit: .seconds, factory: factory)
    }
}
