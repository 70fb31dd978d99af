// SPDX-License-Identifier: Apache-2.0

import Metrics
import Farewell

/// One series: the values under one name with one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    var kind: String { get }
    /// The lines of the series without its name: the suffix of the name, more labels, the value.
    var samples: [MetricSample] { get }
}

struct MetricSample: Sendable {
    var suffix = ""
    var label: (name: String, value: String)?
    var value: Double
}

/// A name with its labels, spelled as Prometheus wants it.
struct MetricName: Sendable, Hashable {
    let name: String
    let labels: [Label]

    struct Label: Sendable, Hashable {
        let name: String
        let value: String
    }

    init(_ label: String, _ dimensions: [(String, String)]) {
        name = Self.spelled(label)
        labels = dimensions.map { Label(name: Self.spelled($0.0), value: $0.1) }.sorted { $0.name < $1.name }
    }

    private static func spelled(_ text: String) -> String {
        let spelled = String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "_" })
        return spelled.first?.isNumber ?? true ? "_" + spelled : spelled
    }
}

final class CountSeries: MetricSeries, CounterHandler {
    private let count = Guarded<Int64>(0)
    var kind: String { "counter" }
    var samples: [MetricSample] { [MetricSample(value: Double(count.withLock { $0 }))] }

    func increment(by amount: Int64) {
        count.withLock { $0 = $0.addingReportingOverflow(amount).overflow ? 0 : $0 + amount }
    }
    func reset() { count.withLock { $0 = 0 } }
}

final class GaugeSeries: MetricSeries, MeterHandler, RecorderHandler {
    private let level = Guarded<Double>(0)
    var kind: String { "gauge" }
    var samples: [MetricSample] { [MetricSample(value: level.withLock { $0 })] }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { level.withLock { $0 = value } }
    func increment(by amount: Double) { level.withLock { $0 += amount } }
    func decrement(by amount: Double) { level.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
}

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
