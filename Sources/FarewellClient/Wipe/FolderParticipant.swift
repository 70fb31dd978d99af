// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Folders and files: a picture cache on the disk, downloads, drafts.
public struct FolderParticipant: Participant {
    public let name: String
    public let holds: String
    public let clears: Clearing
    public let after: Set<String>
    private let paths: [String]

    /// - Parameter paths: Folders and files. Everything in them goes, and they themselves; a symbolic link goes, and
    ///   what it points to stays.
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
        // One that cannot be removed keeps none of the others.
        var failure: (any Error)?
        for path in paths where Self.isThere(path) {
            do { try Self.empty(path) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private static func empty(_ path: String) throws {
        let manager = FileManager.default
        var failure: (any Error)?
        if isFolder(path) {
            for name in try manager.contentsOfDirectory(atPath: path) {
                do { try empty(path + "/" + name) } catch { failure = error }
            }
        }
        if let failure { throw failure }
        do {
            try manager.removeItem(atPath: path)
        } catch {
            guard isThere(path) else { return }
            throw FarewellError("device.file-left", .tryAgain, "A file or folder could not be removed.")
        }
    }

    private static func kind(_ path: String) -> FileAttributeType? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }

    private static func isThere(_ path: String) -> Bool { kind(path) != nil }
    private static func isFolder(_ path: String) -> Bool { kind(path) == .typeDirectory }

    public func leftovers(_ occasion: WipeOccasion) async throws -> [String] {
        paths.indices.filter { Self.isThere(paths[$0]) }.map { index in
            let count = FileManager.default.enumerator(atPath: paths[index])?.reduce(0) { sum, _ in sum + 1 } ?? 0
            return paths.count == 1 ? "\(count + 1) files" : "\(count + 1) files in place \(index + 1)"
        }
    }
}
