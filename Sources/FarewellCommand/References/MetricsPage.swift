// SPDX-License-Identifier: Apache-2.0

import FarewellServer

/// `docs/metrics.md`: every metric of the server.
enum MetricsPage {
    static var lines: [String] {
        introduction
            + MarkdownTable(["metric", "type", "labels", "meaning"], rows: ServerMetric.allCases.map(row)).lines
    }

    private static let introduction = [
        "# Metrics", "",
        "`/metrics` answers in Prometheus' text format on the operators' listener",
        "([`operations.port`](settings.md#operations)). [Monitoring](operations/monitoring.md) describes health",
        "checks, the log and traces.", "",
    ]

    private static func row(_ metric: ServerMetric) -> [String] {
        let labels = metric.labels.map { "\($0.name.asCode): \($0.meaning)" }
        return [metric.rawValue.asCode, metric.type, labels.joined(separator: "; "), metric.meaning]
    }
}
