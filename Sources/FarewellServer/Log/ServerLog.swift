// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
public import Logging

/// Writes log messages to standard error, one a line: JSON for programs, or text for readers.
///
/// Every line is one event, whatever is in it: control characters are escaped (ASVS 5.0, 16.4.1).
public struct ServerLog: LogHandler {
    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    private let format: Format
    private let now: @Sendable () -> Date
    private let write: @Sendable (String) -> Void

    private typealias Member = (key: String, value: Logger.MetadataValue)

    /// How a line looks.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case text
        case json
    }

    /// - Parameters:
    ///   - format: How a line looks.
    ///   - level: The lowest level that is written.
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
        let all = members(of: event)
        let time = UTCTime.text(now())
        switch format {
        case .json: write(json(event, all, time))
        case .text: write(text(event, all, time))
        }
    }

    /// The metadata of an event: for equal names the event's own value comes first, then the provided one. There are
    /// few, so a linear search is faster than a dictionary.
    private func members(of event: LogEvent) -> [Member] {
        var all: [Member] = []
        all.reserveCapacity(8)
        if let given = event.metadata { all.append(contentsOf: given) }
        if let provided = metadataProvider?.get() { Self.add(provided, to: &all) }
        Self.add(metadata, to: &all)
        return all
    }

    private static func add(_ more: Logger.Metadata, to all: inout [Member]) {
        let known = all.count
        for member in more where !all[..<known].contains(where: { $0.key == member.key }) { all.append(member) }
    }

    private func json(_ event: LogEvent, _ members: [Member], _ time: String) -> String {
        let own = [("time", time), ("level", event.level.rawValue), ("message", event.message.description)]
        return CanonicalJSON.text(members: own + members.map { ($0.key, $0.value.description) }) + "\n"
    }

    private func text(_ event: LogEvent, _ members: [Member], _ time: String) -> String {
        var line = time
        line.reserveCapacity(256)
        line += " "
        line += event.level.rawValue
        line += " "
        line += event.message.description
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            line += " "
            line += key
            line += "="
            // Most are texts already.
            if case .string(let text) = value { line += text } else { line += value.description }
        }
        return line.printable + "\n"
    }
}
