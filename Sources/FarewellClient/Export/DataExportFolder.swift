// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The folder in which the archive of the user's data is stored, for its owner only.
///
/// As a participant of the device it is emptied at every sign-out and deletion, so that the next user of the device
/// finds nothing. Without one among the participants, a device downloads no data.
public struct DataExportFolder: Participant {
    public let name: String
    public let holds = "the user's downloaded data"
    public let clears = Clearing.onSignOut
    private let path: String
    private let files: FolderParticipant

    /// - Parameter path: A folder for this purpose alone, such as `exports` in the caches folder. It is created when
    ///   it is needed, with mode 0700, and excluded from backups.
    public init(_ path: String, name: String = "downloaded data") {
        self.path = path
        self.name = name
        files = FolderParticipant(name, at: path)
    }

    public func clear(_ occasion: WipeOccasion) async throws { try await files.clear(occasion) }
    public func leftovers(_ occasion: WipeOccasion) async throws -> [String] {
        try await files.leftovers(occasion)
    }

    /// The complete archive, if there is one.
    var archive: URL? {
        FileManager.default.fileExists(atPath: file) ? URL(fileURLWithPath: file) : nil
    }

    /// Removes the archive, and the part of one.
    func remove() throws {
        for path in [file, part] where unlink(path) != 0 && errno != ENOENT { throw Self.trouble }
    }

    /// Removes the part of an archive whose download has ended, such as by the end of the app.
    func removeUnfinished() throws {
        guard unlink(part) == 0 || errno == ENOENT || errno == ENOTDIR else { throw Self.trouble }
    }

    private var file: String { path + "/export.zip" }
    private var part: String { path + "/export.zip.part" }

    /// Deletes an earlier archive and begins a new one.
    ///
    /// - Throws: `device.storage`.
    func begin() throws -> Writing {
        _ = try StateFolder(path)
        try remove()
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.trouble }
        // Readable while it is written, also when the screen is locked meanwhile.
        protect(part, .whileOpen)
        return Writing(descriptor)
    }

    /// Gives a complete archive its name.
    func finish(_ writing: Writing) throws -> URL {
        try writing.end()
        guard rename(part, file) == 0 else { throw Self.trouble }
        protect(file, .complete)
        return URL(fileURLWithPath: file)
    }

    private enum Protection { case whileOpen, complete }

    private func protect(_ path: String, _ protection: Protection) {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        let type: FileProtectionType = protection == .complete ? .complete : .completeUnlessOpen
        try? FileManager.default.setAttributes([.protectionKey: type], ofItemAtPath: path)
        #endif
    }

    fileprivate static var trouble: FarewellError {
        FarewellError(
            "device.storage", .tryAgain,
            "The archive of the user's data cannot be stored (error \(errno) of the system).")
    }

    /// An archive that is being written.
    final class Writing: Sendable {
        private let state: Guarded<(descriptor: Int32, bytes: Int)>

        fileprivate init(_ descriptor: Int32) { state = Guarded((descriptor, 0)) }

        deinit {
            let descriptor = state.withLock { $0.descriptor }
            if descriptor >= 0 { close(descriptor) }
        }

        var bytes: Int { state.withLock { $0.bytes } }

        /// - Returns: The number of bytes until now.
        @discardableResult
        func add(_ data: Data) throws -> Int {
            try state.withLock { state in
                let isWhole = data.withUnsafeBytes { WholeWrite.write($0, to: state.descriptor) }
                guard isWhole else { throw DataExportFolder.trouble }
                state.bytes += data.count
                return state.bytes
            }
        }

        fileprivate func end() throws {
            try state.withLock { state in
                guard fsync(state.descriptor) == 0 else { throw DataExportFolder.trouble }
                close(state.descriptor)
                state.descriptor = -1
            }
        }
    }
}
