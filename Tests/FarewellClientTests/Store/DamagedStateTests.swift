// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("Damaged files of a device's state")
struct DamagedStateTests {
    private static let files = [
        "session", "session.stored", "journal", "outbox", "person", "claim", "deletion.claim", "asked", InstallationKey.file,
    ]

    @Test(
        "C12 AD-7 no damaged file, and none of any size, keeps a user from signing in and out, or shows them the former user's data",
        arguments: files, [9, 3 << 20])
    func damaged(_ file: String, _ size: Int) async throws {
        try await World.with { world in
            _ = try await world.signedIn("anna")
            try Data(repeating: 0x7b, count: size).write(to: URL(fileURLWithPath: world.path + "/state/" + file))
            let device = try world.device()
            let standing = await device.launch()
            #expect(standing.session != nil || standing.help == .signIn, "\(standing)")
            let backend = world.backend
            let berta = try await device.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            #expect(!world.isThere(world.images) && !world.isThere(world.database))
            #expect(try await world.device().launch() == .signedIn(berta))
            world.weather.withLock { $0 = .down }
            #expect(try await device.signOut(timeout: .seconds(3_600)).server == .pending)
            world.weather.withLock { $0 = .fine }
            let next = try world.device()
            #expect(await next.launch() == .signedOut(.byYou))
            #expect(await next.deliver())
            #expect(!world.backend.isLive(berta))
        }
    }

    @Test("SE-1 of several processes that create the key of an installation at once, all get the same one")
    func oneKey() async throws {
        for _ in 0..<20 {
            try await World.with { world in
                let folder = try world.folder
                let keys = try await withThrowingTaskGroup(of: Data.self) { group in
                    for _ in 0..<6 {
                        group.addTask { try InstallationKey(folder: folder).made().withUnsafeBytes { Data($0) } }
                    }
                    return try await group.reduce(into: Set<Data>()) { $0.insert($1) }
                }
                #expect(keys.count == 1)
            }
        }
    }
}
