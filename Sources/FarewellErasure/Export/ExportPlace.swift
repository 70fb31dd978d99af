// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The folder below the state directory in which one process keeps the exports of its users, for a short time.
///
/// The process locks the folder (`flock`), so that another one recognises the folder of a killed process, and
/// removes it.
final class ExportPlace: Sendable {
    private let root: String
    private let name: String
    private let descriptor: Int32

    /// Takes over the descriptor.
    private init(root: String, name: String, _ descriptor: Int32) {
        self.root = root
        self.name = name
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static let folder = "exports"
    /// The lock under which folders are made and looked for: none is seen before its process has locked it.
    private static let lock = "exports.lock"
    private static let archive = "export.zip"

    /// Makes a folder for this process.
    ///
    /// - Parameter name: One that no other process has.
    static func begin(in state: String, named name: String) async throws -> ExportPlace {
        try await BlockingWork.run {
            try StateDirectory.prepared(at: state).locked(lock) {
                let root = state + "/" + folder
                guard mkdir(root, 0o700) == 0 || errno == EEXIST else { throw failure }
                let path = root + "/" + name
                guard mkdir(path, 0o700) == 0 else { throw failure }
                let raw = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                guard raw >= 0 else { throw failure }
                let place = ExportPlace(root: root, name: name, raw)
                guard flock(raw, LOCK_EX | LOCK_NB) == 0 else { throw failure }
                return place
            }
        }
    }

    /// Removes the exports of killed processes.
    static func removeLeftovers(in state: String) async throws {
        let left = try await BlockingWork.run { try abandoned(in: state) }
        var failure: (any Error)?
        for place in left {
            do { try await place.end() } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// The folders that no process holds; now this one holds them.
    private static func abandoned(in state: String) throws -> [ExportPlace] {
        var status = stat()
        let root = state + "/" + folder
        guard lstat(root, &status) == 0 else { return [] }
        return try StateDirectory.existing(at: state).locked(lock) {
            let list = try OpenFolder.root(root)
            var places: [ExportPlace] = []
            while let name = try list.next() {
                let raw = openat(list.descriptor, name.bytes, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                guard raw >= 0 else { continue }
                let place = ExportPlace(root: root, name: name.text, raw)
                if flock(raw, LOCK_EX | LOCK_NB) == 0 { places.append(place) }
            }
            return places
        }
    }

    /// Removes the folder with all that is in it.
    func end() async throws { try await Self.remove(name, below: root) }

    // MARK: One export

    /// Makes the folder of an export.
    ///
    /// - Returns: The path at which its archive is to stand.
    func path(for export: UUID) throws -> String {
        let folder = "\(root)/\(name)/\(export.text)"
        guard mkdir(folder, 0o700) == 0 else { throw Self.failure }
        return folder + "/" + Self.archive
    }

    /// The archive of an export.
    ///
    /// - Parameter isRemoved: Whether the export is gone, which ends the reading.
    func archive(of export: UUID, isRemoved: Guarded<Bool>) throws -> ExportArchive {
        let path = "\(root)/\(name)/\(export.text)/\(Self.archive)"
        let raw = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard raw >= 0 else { throw Self.failure }
        return try ExportArchive(raw, isRemoved: isRemoved)
    }

    /// Removes an export: its archive, and the files written until now.
    func remove(_ export: UUID) async throws { try await Self.remove(export.text, below: root + "/" + name) }

    private static func remove(_ name: String, below root: String) async throws {
        guard let path = FolderPath(parts: [Array(name.utf8)]) else { return }
        _ = try await FolderRemoval(root: root, isShared: nil).remove(path)
    }

    private static var failure: FarewellError { FileFailure(errno).error("The folder of exports cannot be used") }
}
