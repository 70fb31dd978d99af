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

/// A name with its labels, spelled as Prometheus requires it.
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
