// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
public import Logging

/// Writes log messages to standard error, one a line: JSON for programs, or text for people.
///
/// Every line is one event, whatever is in it: control characters are escaped (ASVS 5.0, 16.4.1).
public struct ServerLog: LogHandler {
    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    private let format: Format
    private let now: @Sendable () -> Date
    private let write: @Sendable (String) -> Void

    /// How a line looks.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case text
        case json
    }

    /// - Parameters:
    ///   - format: How a line looks.
    ///   - level: What is written at least.
    ///   - now: the clock of the lines.
    ///   - write: takes one line with its line feed; one at a time.
    public init(
        _ format: Format, level: Logger.Level, now: @escaping @Sendable () -> Date = ServerWorld.live().now,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.format = format
        self.now = now
        self.write = write
        logLevel = level
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one event.
    public func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { _, new in new } }
        if let given = event.metadata { all.merge(given) { _, new in new } }
        let time = UTCTime.text(now())
        switch format {
        case .json: write(json(event, all, time))
        case .text: write(text(event, all, time))
        }
    }

    private func json(_ event: LogEvent, _ metadata: Logger.Metadata, _ time: String) -> String {
        let own = [("time", time), ("level", event.level.rawValue), ("message", event.message.description)]
        return CanonicalJSON.text(members: own + metadata.map { ($0.key, $0.value.description) }) + "\n"
    }

    private func text(_ event: LogEvent, _ metadata: Logger.Metadata, _ time: String) -> String {
        var line = time
        line.reserveCapacity(256)
        line += " " + event.level.rawValue + " " + event.message.description
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            line += " " + key + "=" + value.description
        }
        return line.printable + "\n"
    }
}
