// SPDX-License-Identifier: Apache-2.0
import Foundation

/// An on-device database in a file, such as GRDB's or SQLite's own: the file, its write-ahead log, its shared memory
/// and its rollback journal.
///
/// Kept at sign-out, for use offline, and deleted with the account; `clears: .onSignOut` clears it at sign-out too.
public struct DatabaseParticipant: Participant {
    public let name: String
    public let holds: String
    public let clears: Clearing
    public let after: Set<String>
    private let files: FolderParticipant
    private let closing: @Sendable () async throws -> Void

    /// - Parameter closing: Closes the app's connections; otherwise they keep the deleted data open.
    public init(
        _ name: String, at path: String, holds: String = "records", clears: Clearing = .onDeletion,
        after: Set<String> = [], closing: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.name = name
        self.holds = holds
        self.clears = clears
        self.after = after
        self.closing = closing
        files = FolderParticipant(name, at: path, path + "-wal", path + "-shm", path + "-journal", clears: clears)
    }

    public func clear(_ occasion: WipeOccasion) async throws {
        try await closing()
        try await files.clear(occasion)
    }

    public func leftovers(_ occasion: WipeOccasion) async throws -> [String] { try await files.leftovers(occasion) }
}
