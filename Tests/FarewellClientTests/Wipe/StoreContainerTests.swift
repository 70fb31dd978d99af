// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("Wiping containers of Core Data and SwiftData")
struct StoreContainerTests {
    /// A folder with two stores, each with everything that the system keeps beside it.
    private struct Stores {
        let world: World
        var main: URL { URL(fileURLWithPath: world.path + "/Model.sqlite") }
        var other: URL { URL(fileURLWithPath: world.path + "/other/default.store") }

        var files: [String] {
            [
                main.path, main.path + "-wal", main.path + "-shm", world.path + "/.Model_SUPPORT/_EXTERNAL_DATA/photo",
                world.path + "/Model_ckAssets/photo", other.path, other.path + "-wal",
                world.path + "/other/.default_SUPPORT/_EXTERNAL_DATA/photo",
            ]
        }

        var left: [String] { files.filter(world.isThere) }

        func make() throws {
            for file in files {
                let url = URL(fileURLWithPath: file)
                try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data("a record".utf8).write(to: url)
            }
        }
    }

    private static let memory = URL(fileURLWithPath: "/dev/null")

    @Test("APP-12 CF-3 CF-4 a store is closed first; then its files and large values go, also those of a store that was only found open")
    func closesFirst() async throws {
        try await World.with { world in
            let stores = Stores(world: world)
            try stores.make()
            let atClosing = Guarded<[String]>([])
            let participant = StoreContainerParticipant(
                "records", stores: [stores.main, Self.memory], holds: "records", clears: .onDeletion,
                closing: {
                    atClosing.withLock { $0 = stores.left }
                    return [stores.other, stores.main, Self.memory]
                })
            let report = try await WipeRegistry([participant]).wipe(.deletion)
            #expect(report.isClean && stores.left.isEmpty && world.isThere("/dev/null"), "\(report) \(stores.left)")
            #expect(atClosing.withLock { $0 } == stores.files, "nothing is removed from under an open store")
            try stores.make()
            #expect(try await participant.leftovers(.deletion).count == 8)
        }
    }

    @Test("APP-12 the files of a store that cannot be closed stay until it can, and the report says so")
    func cannotClose() async throws {
        try await World.with { world in
            let stores = Stores(world: world)
            try stores.make()
            let isOpen = Guarded(true)
            let participant = StoreContainerParticipant(
                "records", stores: [stores.main, stores.other],
                releasing: { if isOpen.withLock({ $0 }) { throw FarewellError("test.open", .tryAgain, "Open.") } })
            let registry = try WipeRegistry([participant])
            #expect(await registry.wipe(.signOut).lines.map(\.outcome) == [.kept])
            #expect(await !registry.wipe(.deletion).isClean)
            #expect(stores.left == stores.files)
            isOpen.withLock { $0 = false }
            #expect(await registry.wipe(.deletion).isClean && stores.left.isEmpty)
        }
    }

    @Test("CF-4 a place that cannot be inspected is not called clean, and keeps none of the others")
    func uninspected() async throws {
        try await World.with { world in
            let stores = Stores(world: world)
            try stores.make()
            let loop = world.path + "/loop"
            try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
            let inside = URL(fileURLWithPath: loop + "/lost.sqlite")
            let container = StoreContainerParticipant("records", stores: [inside, stores.main, stores.other], releasing: {})
            #expect(await code { try await container.clear(.deletion) } == "device.file-unknown")
            #expect(stores.left.isEmpty)
            let folder = FolderParticipant("folder", at: loop + "/pictures")
            #expect(await code { try await folder.clear(.signOut) } == "device.file-unknown")
            #expect(await code { _ = try await folder.leftovers(.signOut) } == "device.file-unknown")
            #expect(try await FolderParticipant("gone", at: stores.main.path + "/below").leftovers(.signOut).isEmpty)
        }
    }
}
