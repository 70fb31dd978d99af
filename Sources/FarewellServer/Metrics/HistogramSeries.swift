// SPDX-License-Identifier: Apache-2.0

import Metrics
import Farewell

final class HistogramSeries: MetricSeries, TimerHandler, RecorderHandler {
    /// Upper bounds, in seconds for a timer: from a session check to a slow password.
    static let bounds: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private struct State {
        var counts = [Int](repeating: 0, count: HistogramSeries.bounds.count)
        var count = 0
        var sum = 0.0
    }

    private let state = Guarded(State())
    var kind: String { "histogram" }

    var samples: [MetricSample] {
        let now = state.withLock { $0 }
        let buckets = zip(Self.bounds, now.counts).map {
            MetricSample(suffix: "_bucket", label: ("le", "\($0)"), value: Double($1))
        }
        return buckets + [
            MetricSample(suffix: "_bucket", label: ("le", "+Inf"), value: Double(now.count)),
            MetricSample(suffix: "_sum", value: now.sum), MetricSample(suffix: "_count", value: Double(now.count)),
        ]
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) {
        state.withLock { state in
            state.count += 1
            state.sum += value
            for (place, bound) in Self.bounds.enumerated() where value <= bound { state.counts[place] += 1 }
        }
    }
}
