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

/// Folders and files: a picture cache on the disk, downloads, drafts.
public struct FolderParticipant: Participant {
    public let name: String
    public let holds: String
    public let clears: Clearing
    public let after: Set<String>
    private let paths: [String]

    /// - Parameter paths: Folders and files, which are removed with everything in them; a symbolic link is removed, and
    ///   its target stays.
    public init(
        _ name: String, at paths: String..., holds: String = "files", clears: Clearing = .onSignOut,
        after: Set<String> = []
    ) {
        self.name = name
        self.holds = holds
        self.clears = clears
        self.after = after
        self.paths = paths
    }

    public func clear(_ occasion: WipeOccasion) async throws {
        // A path that cannot be removed does not keep the others.
        var failure: (any Error)?
        for path in paths {
            do { try Self.empty(path) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private static func empty(_ path: String) throws {
        guard let kind = try kind(path) else { return }
        let manager = FileManager.default
        var failure: (any Error)?
        if kind == .folder {
            for name in try manager.contentsOfDirectory(atPath: path) {
                do { try empty(path + "/" + name) } catch { failure = error }
            }
        }
        if let failure { throw failure }
        do {
            try manager.removeItem(atPath: path)
        } catch {
            if try Self.kind(path) == nil { return }
            throw FarewellError("device.file-left", .tryAgain, "A file or folder could not be removed.")
        }
    }

    private enum Kind { case folder, other }

    /// - Returns: `nil` if there is nothing, for certain.
    /// - Throws: `device.file-unknown` if that is unknown: a place that cannot be inspected is not an empty place.
    private static func kind(_ path: String) throws -> Kind? {
        var status = stat()
        if lstat(path, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR ? .folder : .other }
        let cause = errno
        if cause == ENOENT || cause == ENOTDIR { return nil }
        throw FarewellError(
            "device.file-unknown", .tryAgain, "A file or folder cannot be inspected (error \(cause) of the system).")
    }

    public func leftovers(_ occasion: WipeOccasion) async throws -> [String] {
        try paths.indices.filter { try Self.kind(paths[$0]) != nil }.map { index in
            let count = FileManager.default.enumerator(atPath: paths[index])?.reduce(0) { sum, _ in sum + 1 } ?? 0
            return paths.count == 1 ? "\(count + 1) files" : "\(count + 1) files in place \(index + 1)"
        }
    }
}
