// SPDX-License-Identifier: Apache-2.0

import Logging

/// Writes log messages to standard error, one a line, safe against forged lines.
struct CommandLog: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    /// Warnings; with `isVerbose` everything.
    static func logger(isVerbose: Bool) -> Logger {
        Logger(label: "farewell") { _ in CommandLog(logLevel: isVerbose ? .debug : .warning) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let merged = metadata.merging(event.metadata ?? [:]) { _, new in new }.sorted { $0.key < $1.key }
        let pairs = merged.map { " \($0.key)=\($0.value)" }.joined()
        Terminal.error.line(Terminal.printable("\(event.level): \(event.message)\(pairs)"))
    }
}
