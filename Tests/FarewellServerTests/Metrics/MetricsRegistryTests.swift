// SPDX-License-Identifier: Apache-2.0

import FarewellServer
import Metrics
import Testing

@Suite("The counters in the Prometheus format")
struct MetricsRegistryTests {
    @Test("counters, gauges and histograms are written with their type, labels and buckets")
    func exposition() {
        let registry = MetricsRegistry()
        let dimensions = [("route", "/a\"b\\c\nd"), ("method", "GET")]
        Counter(label: "calls_total", dimensions: dimensions, factory: registry).increment(by: 3)
        Counter(label: "calls_total", dimensions: dimensions.reversed(), factory: registry).increment()
        Meter(label: "in.flight", factory: registry).set(2)
        let timer = Timer(label: "seconds", factory: registry)
        timer.recordNanoseconds(3_000_000)
        timer.recordNanoseconds(20_000_000_000)
        let text = registry.exposition
        #expect(text.contains("# TYPE calls_total counter\n"))
        #expect(text.contains("calls_total{method=\"GET\",route=\"/a\\\"b\\\\c\\nd\"} 4\n"))
        #expect(text.contains("# TYPE in_flight gauge\nin_flight 2\n"))
        #expect(text.contains("seconds_bucket{le=\"0.0025\"} 0\n") && text.contains("seconds_bucket{le=\"0.005\"} 1\n"))
        #expect(text.contains("seconds_bucket{le=\"+Inf\"} 2\n") && text.contains("seconds_count 2\n"))
        #expect(text.contains("seconds_sum 20.003\n"))
        #expect(text.hasSuffix("\n"))
    }

    @Test("counting from many tasks loses no count")
    func concurrent() async {
        let registry = MetricsRegistry()
        await withTaskGroup { group in
            for _ in 0..<64 {
                group.addTask {
                    for _ in 0..<100 { Counter(label: "n", factory: registry).increment() }
                }
            }
        }
        #expect(registry.exposition == "# TYPE n counter\nn 6400\n")
    }

    @Test("a name that is already used for another kind keeps its kind")
    func conflict() {
        let registry = MetricsRegistry()
        Counter(label: "n", factory: registry).increment()
        Meter(label: "n", factory: registry).set(7)
        #expect(registry.exposition == "# TYPE n counter\nn 1\n")
    }
}
