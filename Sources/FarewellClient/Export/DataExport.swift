// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The progress of an export of the user's data.
public struct DataExport: Sendable, Hashable {
    /// The server's name for the export.
    public let id: String
    public let state: State
    /// How many tables are written, and how many there are; 0 of 0 until the export begins.
    public let tablesDone: Int
    public let tablesTotal: Int
    /// The size of the archive in bytes; `nil` until it is ready.
    public let archiveBytes: Int?
    /// How many bytes of the archive are on this device.
    public var received = 0
    /// When the server removes the archive; `nil` until the export has ended.
    public let expiresAt: Date?
    /// Why it failed, in the server's word, such as `export.too-large`.
    public let cause: String?

    /// The state of an export, as the server names it.
    public enum State: String, Sendable, Hashable, CaseIterable {
        case waiting, running, ready, failed
    }

    public init(
        id: String, state: State, tablesDone: Int = 0, tablesTotal: Int = 0, archiveBytes: Int? = nil,
        expiresAt: Date? = nil, cause: String? = nil
    ) {
        self.id = id
        self.state = state
        self.tablesDone = tablesDone
        self.tablesTotal = tablesTotal
        self.archiveBytes = archiveBytes
        self.expiresAt = expiresAt
        self.cause = cause
    }

    /// How much is done, from 0 to 1: the first half is the server's work, the second the transfer.
    public var fraction: Double {
        switch state {
        case .waiting, .failed: 0
        case .running: tablesTotal > 0 ? min(Double(tablesDone) / Double(tablesTotal), 1) / 2 : 0
        case .ready:
            archiveBytes.map { $0 > 0 ? 0.5 + min(Double(received) / Double($0), 1) / 2 : 1 } ?? 0.5
        }
    }
}
