// SPDX-License-Identifier: Apache-2.0

/// How long each of many things took.
struct Latencies: Sendable {
    private(set) var all: [Duration] = []

    mutating func add(_ duration: Duration) { all.append(duration) }

    @discardableResult
    mutating func time<Value>(
        clock: any Clock<Duration> = ContinuousClock(), _ body: () async throws -> Value
    ) async rethrows -> Value {
        let started = Stopwatch(clock)
        let value = try await body()
        add(started.elapsed())
        return value
    }

    /// The value below which `share` of all lie.
    func percentile(_ share: Double) -> Duration {
        let sorted = all.sorted()
        guard !sorted.isEmpty else { return .zero }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    var median: Duration { percentile(0.5) }
    var longest: Duration { all.max() ?? .zero }

    /// `p50 1.23 ms, p99 4.56 ms`
    var text: String { "p50 \(median.text), p99 \(percentile(0.99).text)" }
}

/// Tells how long ago it was made.
struct Stopwatch: Sendable {
    let elapsed: @Sendable () -> Duration

    init(_ clock: some Clock<Duration> = ContinuousClock()) {
        let started = clock.now
        elapsed = { started.duration(to: clock.now) }
    }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }

    var text: String {
        seconds < 1 ? "\((seconds * 1_000).short) ms" : "\(seconds.short) s"
    }
}

extension [Double] {
    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return 0 }
        return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2
    }
}
