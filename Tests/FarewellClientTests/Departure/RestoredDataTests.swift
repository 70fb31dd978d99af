// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

/// Data that outlives the state folder: restored from a back-up, or left in the Keychain by a removed app.
@Suite("Data of a former installation")
struct RestoredDataTests {
    private func enter(_ device: FarewellDevice, _ user: String, _ world: World) async throws {
        let backend = world.backend
        try await device.signIn { () async throws(ProviderFailure) in backend.signIn(user) }
    }

    /// The app's data as a back-up has it: without the state folder.
    private func restore(_ world: World) throws { try FileManager.default.removeItem(atPath: world.path + "/state") }

    private func mark(_ world: World) -> String { world.path + "/state.user" }

    @Test("SO-10 AD-7 where a back-up was restored, another user finds none of its data, and its own user finds all")
    func restored() async throws {
        for (user, stays) in [("berta", false), ("anna", true)] {
            try await World.with { world in
                _ = try await world.signedIn("anna")
                try restore(world)
                let device = try world.device()
                #expect(await device.launch() == .signedOut(nil))
                try await enter(device, user, world)
                #expect(world.isThere(world.images) == stays && world.isThere(world.database) == stays, "\(user)")
            }
        }
    }

    @Test("SO-10 a damaged mark in a back-up names no user: the data is cleared")
    func damaged() async throws {
        try await World.with { world in
            _ = try await world.signedIn("anna")
            try restore(world)
            try Data("?".utf8).write(to: URL(fileURLWithPath: mark(world)))
            let device = try world.device()
            await device.launch()
            try await enter(device, "anna", world)
            #expect(!world.isThere(world.images) && !world.isThere(world.database))
        }
    }

    @Test("SO-12 data from before the first sign-in of an installation stays")
    func first() async throws {
        try await World.with { world in
            try world.leaveTraces()
            let device = try world.device()
            await device.launch()
            try await enter(device, "anna", world)
            #expect(world.isThere(world.images) && world.isThere(world.database))
        }
    }

    @Test("AD-7 SO-10 the mark of the user is a hash, is made by a launch where it is missing, and is gone after a deletion")
    func marked() async throws {
        try await World.with { world in
            let (_, session) = try await world.signedIn("anna")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: mark(world)))
            #expect(bytes.count == 48 && bytes.range(of: Data(session.user.id.utf8)) == nil)
            try FileManager.default.removeItem(atPath: mark(world))
            let device = try world.device()
            await device.launch()
            #expect(OwnerMark(beside: try world.folder).names(session.user) == true)
            _ = try await device.deleteAccount()
            #expect(!world.isThere(mark(world)))
        }
    }

    @Test(
        "SE-1 SO-10 a user's secret that a removed installation left in the Keychain is cleared before the next sign-in",
        arguments: Clearing.allCases)
    func secrets(_ clears: Clearing) async throws {
        for isRemoved in [true, false] {
            try await World.with { world in
                let (place, secret) = (MemoryTokenStore(), MemoryTokenStore())
                func device() throws -> FarewellDevice {
                    try world.device(
                        store: SealedTokenStore(place, keyIn: world.folder),
                        participants: [SecretParticipant("key", in: secret, clears: clears)])
                }
                if isRemoved {
                    _ = try await world.signedIn("anna", device())
                    try restore(world)
                    try FileManager.default.removeItem(atPath: mark(world))
                }
                secret.write(Data("a key".utf8))
                let next = try device()
                await next.launch()
                try await enter(next, "berta", world)
                var isLeft = true
                if case .absent = secret.read() { isLeft = false }
                #expect(isLeft == (!isRemoved || clears == .never), "only another installation's secret of a user is cleared")
            }
        }
    }

    @Test("AD-7 CF-2 while the former user cannot be forgotten, a deletion is not over, and is finished at the next launch")
    func forgotten() async throws {
        try await World.with { world in
            let (device, _) = try await world.signedIn("anna")
            // A folder that is not empty is in the place of the hash: it cannot be removed as a file.
            let person = world.path + "/state/person"
            try FileManager.default.removeItem(atPath: person)
            try FileManager.default.createDirectory(atPath: person + "/full", withIntermediateDirectories: true)
            let result = try await device.deleteAccount()
            #expect(result.device.isClean && !result.isDeviceClean && world.isThere(mark(world)))
            try FileManager.default.removeItem(atPath: person)
            let next = try world.device()
            #expect(await next.launch() == .signedOut(.accountDeleted))
            #expect(!world.isThere(mark(world)) && !world.isThere(world.path + "/state/journal"))
        }
    }
}
