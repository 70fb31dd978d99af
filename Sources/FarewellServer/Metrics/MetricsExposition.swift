// SPDX-License-Identifier: Apache-2.0

/// Series as text: Prometheus' exposition format 0.0.4.
enum MetricsExposition {
    static func text(_ series: [MetricName: any MetricSeries]) -> String {
        var lines: [String] = []
        var last = ""
        let sorted = series.sorted { ($0.key.name, "\($0.key.labels)") < ($1.key.name, "\($1.key.labels)") }
        for (name, one) in sorted {
            if name.name != last {
                lines.append("# TYPE \(name.name) \(one.kind)")
                last = name.name
            }
            for sample in one.samples {
                let pairs = name.labels.map { ($0.name, $0.value) } + (sample.label.map { [($0.name, $0.value)] } ?? [])
                lines.append("\(name.name)\(sample.suffix)\(labels(pairs)) \(number(sample.value))")
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func labels(_ pairs: [(String, String)]) -> String {
        pairs.isEmpty ? "" : "{" + pairs.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    private static func number(_ value: Double) -> String {
        value.rounded() == value && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
    }
}
