// SPDX-License-Identifier: Apache-2.0

public import Metrics
import Farewell

/// Everything counted and measured in this process, for `/metrics` (a backend of swift-metrics).
///
/// Counters and gauges are what they are; timers and aggregating recorders become histograms, timers in seconds.
public final class MetricsRegistry: MetricsFactory {
    private let series = Guarded<[MetricName: any MetricSeries]>([:])

    public init() {}

    /// The exposition in Prometheus' text format, version 0.0.4; ends with a line feed.
    public var exposition: String { MetricsExposition.text(series.withLock { $0 }) }

    private func entry<Series: MetricSeries>(
        _ label: String, _ dimensions: [(String, String)], _ make: () -> Series
    ) -> Series {
        series.withLock { all in
            let name = MetricName(label, dimensions)
            if let known = all[name] as? Series { return known }
            let fresh = make()
            // A name that already belongs to another kind keeps it; the new series is not shown.
            if all[name] == nil { all[name] = fresh }
            return fresh
        }
    }

    private func remove(_ handler: AnyObject) {
        series.withLock { all in
            guard let name = all.first(where: { $0.value === handler })?.key else { return }
            all[name] = nil
        }
    }

    // MARK: MetricsFactory

    /// A count that only grows.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        entry(label, dimensions) { CountSeries() }
    }

    /// A level that goes up and down.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        entry(label, dimensions) { GaugeSeries() }
    }

    /// A distribution, or without `aggregate` the last value.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        aggregate
            ? entry(label, dimensions) { HistogramSeries() } : entry(label, dimensions) { GaugeSeries() }
    }

    /// A distribution of durations, in seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        entry(label, dimensions) { HistogramSeries() }
    }

    /// Forgets it.
    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    /// Forgets it.
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    /// Forgets it.
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    /// Forgets it.
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }
}
