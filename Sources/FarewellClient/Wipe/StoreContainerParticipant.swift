// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

#if canImport(CoreData)
public import CoreData
#endif

/// A container of Core Data or SwiftData. The app's own stores are closed first; only then are their files removed, so
/// that no open store writes into a deleted file.
///
/// The files of a store are the database with its logs, the folder of large values (`allowsExternalBinaryDataStorage`,
/// `.externalStorage`), and the folder of CloudKit's files.
public struct StoreContainerParticipant: Participant {
    public let name: String
    public let holds: String
    public let clears: Clearing
    /// The files of the stores, also of those that were found open.
    private let places: Guarded<Set<URL>>
    private let closing: @Sendable () async throws -> [URL]

    /// - Parameter closing: Closes the open stores; the result is their files.
    package init(
        _ name: String, stores urls: [URL], holds: String, clears: Clearing,
        closing: @escaping @Sendable () async throws -> [URL]
    ) {
        places = Guarded(Set(urls.filter(Self.isFile)))
        self.name = name
        self.holds = holds
        self.clears = clears
        self.closing = closing
    }

    #if canImport(CoreData)
    /// A Core Data stack.
    ///
    /// - Parameters:
    ///   - urls: The files of its stores, for a launch at which the stack was not loaded.
    ///   - coordinator: The app's own coordinator, whose stores are closed; `nil` while the app has loaded none.
    public init(
        _ name: String, stores urls: [URL], holds: String = "records", clears: Clearing = .onDeletion,
        coordinator: @escaping @Sendable () async -> NSPersistentStoreCoordinator?
    ) {
        self.init(
            name, stores: urls, holds: holds, clears: clears,
            closing: {
                guard let loaded = await coordinator() else { return [] }
                return try loaded.performAndWait {
                    // A read-only store, such as one in the app's bundle, holds nothing of the user.
                    let open = loaded.persistentStores.filter { !$0.isReadOnly }.compactMap(\.url)
                    for store in loaded.persistentStores { try loaded.remove(store) }
                    return open
                }
            })
    }
    #endif

    /// A SwiftData container.
    ///
    /// - Parameters:
    ///   - urls: The files of its stores, as in `ModelContainer.configurations`.
    ///   - releasing: Drops the app's references to the container and its contexts, which closes the stores. A new
    ///     container is made after the next sign-in.
    public init(
        _ name: String, stores urls: [URL], holds: String = "records", clears: Clearing = .onDeletion,
        releasing: @escaping @Sendable () async throws -> Void
    ) {
        self.init(
            name, stores: urls, holds: holds, clears: clears,
            closing: {
                try await releasing()
                return []
            })
    }

    public func clear(_ occasion: WipeOccasion) async throws {
        let open = try await closing().filter(Self.isFile)
        let all = places.withLock { places in
            places.formUnion(open)
            return places
        }
        // A store that cannot be removed keeps none of the others.
        var failure: (any Error)?
        for url in all {
            do { try await Self.files(url).clear(occasion) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    public func leftovers(_ occasion: WipeOccasion) async throws -> [String] {
        var left: [String] = []
        for url in places.withLock({ $0 }) { left += try await Self.files(url).leftovers(occasion) }
        return left.sorted()
    }

    /// A store in memory is at `/dev/null`.
    private static func isFile(_ url: URL) -> Bool { url.isFileURL && url.path != "/dev/null" }

    private static func files(_ url: URL) -> FolderParticipant {
        let path = url.path
        let folder = url.deletingLastPathComponent().path
        let stem = url.deletingPathExtension().lastPathComponent
        return FolderParticipant(
            "store", at: path, path + "-wal", path + "-shm", path + "-journal", "\(folder)/.\(stem)_SUPPORT",
            "\(folder)/\(stem)_ckAssets")
    }
}
