// SPDX-License-Identifier: Apache-2.0
#if canImport(CoreData)
public import CoreData
import Farewell
public import Foundation

/// A container of Core Data or SwiftData. The app's own stores are closed first; only then are their files removed, so
/// that no open store writes into a deleted file.
public struct StoreContainerParticipant: Participant {
    public let name: String
    public let holds: String
    public let clears: Clearing
    private let places: [URL]
    private let closing: @Sendable () async throws -> [URL]

    private init(
        _ name: String, _ holds: String, _ clears: Clearing, places: [URL],
        closing: @escaping @Sendable () async throws -> [URL]
    ) {
        self.places = places
        self.name = name
        self.holds = holds
        self.clears = clears
        self.closing = closing
    }

    /// A Core Data stack.
    ///
    /// - Parameters:
    ///   - urls: The files of its stores, for a launch at which the stack was not loaded.
    ///   - coordinator: The app's own coordinator, whose stores are closed; `nil` while the app has loaded none.
    public init(
        _ name: String, stores urls: [URL], holds: String = "records", clears: Clearing = .onDeletion,
        coordinator: @escaping @Sendable () async -> NSPersistentStoreCoordinator?
    ) {
        self.init(name, holds, clears, places: urls) {
            guard let loaded = await coordinator() else { return urls }
            return try loaded.performAndWait {
                let open = loaded.persistentStores.compactMap(\.url)
                for store in loaded.persistentStores { try loaded.remove(store) }
                return Array(Set(urls + open))
            }
        }
    }

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
        self.init(name, holds, clears, places: urls) {
            try await releasing()
            return urls
        }
    }

    public func clear(_ occasion: WipeOccasion) async throws {
        for url in try await closing() { try await Self.files(url).clear(occasion) }
    }

    public func leftovers(_ occasion: WipeOccasion) async throws -> [String] {
        var left: [String] = []
        for url in places { left += try await Self.files(url).leftovers(occasion) }
        return left
    }

    private static func files(_ url: URL) -> DatabaseParticipant { DatabaseParticipant("store", at: url.path) }
}
#endif
