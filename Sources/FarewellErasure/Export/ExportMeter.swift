// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Counts what an export has written, and stops an export that grows beyond its limit.
package final class ExportMeter: Sendable {
    /// How far an export has got.
    package struct Progress: Sendable, Hashable {
        package var tablesDone = 0
        /// 0 until the plan's tables are known.
        package var tablesTotal = 0
        package var bytes = 0
    }

    private let limit: Int
    private let state = Guarded(Progress())
    /// Called before each change on the disk: a process that is killed there leaves what is on it then.
    let change: @Sendable () -> Void

    /// - Parameter limit: The most bytes that the files of the export may have together.
    package init(limit: Int = .max, change: @escaping @Sendable () -> Void = {}) {
        self.limit = limit
        self.change = change
    }

    package var progress: Progress { state.withLock { $0 } }

    func begin(tables: Int) { state.withLock { $0.tablesTotal = tables } }

    func endTable() { state.withLock { $0.tablesDone += 1 } }

    /// Counts bytes before they are written.
    ///
    /// - Throws: `export.too-large`.
    func add(bytes: Int) throws {
        let isWithin = state.withLock { state in
            guard bytes <= limit - state.bytes else { return false }
            state.bytes += bytes
            return true
        }
        guard isWithin else { throw Self.tooLarge }
    }

    static let tooLarge = FarewellError(
        "export.too-large", .yoursToFix, "The export is larger than export.bytes allows.",
        remedy: "Raise export.bytes, or export this subject with farewell export.")
}
