// SPDX-License-Identifier: Apache-2.0
#if canImport(CoreData)
import CoreData
import Foundation

/// A container of Core Data or SwiftData: its stores are emptied of files by the system's own way, so that open
/// contexts learn of it.
public struct StoreContainerParticipant: Participant {
    public let name: String
    public let holds: String
    public let clears: Clearing
    private let urls: [URL]
    private let model: @Sendable () -> NSManagedObjectModel

    /// - Parameter urls: Where its stores are. SwiftData's are in `ModelContainer.configurations`.
    public init(
        _ name: String, stores urls: [URL], holds: String = "records", clears: Clearing = .onDeletion,
        model: @escaping @Sendable () -> NSManagedObjectModel
    ) {
        self.name = name
        self.holds = holds
        self.clears = clears
        self.urls = urls
        self.model = model
    }

    public func clear(_ occasion: WipeOccasion) async throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        for url in urls where FileManager.default.fileExists(atPath: url.path) {
            try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
        }
        try await files.clear(occasion)
    }

    public func leftovers(_ occasion: WipeOccasion) async throws -> [String] { try await files.leftovers(occasion) }

    private var files: WipeFiles { WipeFiles(paths: urls.map(\.path)) }

    private struct WipeFiles {
        let paths: [String]

        func clear(_ occasion: WipeOccasion) async throws {
            for path in paths { try await DatabaseParticipant("store", at: path).clear(occasion) }
        }

        func leftovers(_ occasion: WipeOccasion) async throws -> [String] {
            var left: [String] = []
            for path in paths { left += try await DatabaseParticipant("store", at: path).leftovers(occasion) }
            return left
        }
    }
}
#endif
