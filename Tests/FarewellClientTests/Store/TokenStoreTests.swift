// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClientTesting
import Foundation
import Testing

@testable import FarewellClient

@Suite("Places for tokens")
struct TokenStoreTests {
    @Test("SE-1 memory keeps every promise of a token store", arguments: TokenStoreConformance.cases)
    func memory(_ theCase: TokenStoreConformance.Case) async throws {
        try await theCase.run { use in
            let store = MemoryTokenStore()
            try await use(store, store)
        }
    }

    @Test("SE-1 the encrypted file keeps every promise of a token store", arguments: TokenStoreConformance.cases)
    func file(_ theCase: TokenStoreConformance.Case) async throws {
        try await theCase.run { use in
            try await World.with { world in
                try await use(FileTokenStore(in: world.folder), FileTokenStore(in: world.folder))
            }
        }
    }

    @Test("SE-1 a sealed place keeps every promise of a token store", arguments: TokenStoreConformance.cases)
    func sealed(_ theCase: TokenStoreConformance.Case) async throws {
        try await theCase.run { use in
            try await World.with { world in
                let place = MemoryTokenStore()
                try await use(
                    SealedTokenStore(place, keyIn: world.folder), SealedTokenStore(place, keyIn: world.folder))
            }
        }
    }

    @Test("Item 50: only its owner can read the file, which shows nothing of the record and differs at each write")
    func sealing() async throws {
        try await World.with { world in
            let store = FileTokenStore(in: try world.folder)
            let path = world.path + "/state/session"
            var seen: Set<Data> = []
            for _ in 0..<20 {
                try store.write(Data(TokenTests.canary.utf8))
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
                let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
                #expect(bytes.range(of: Data("canary".utf8)) == nil)
                #expect(seen.insert(bytes).inserted, "a nonce was used twice")
            }
        }
    }

    @Test("a changed file is unknown: it is not read, not deleted, and can be overwritten")
    func damage() async throws {
        try await World.with { world in
            let store = FileTokenStore(in: try world.folder)
            try store.write(Data("record".utf8))
            let url = URL(fileURLWithPath: world.path + "/state/session")
            let good = try Data(contentsOf: url)
            for index in [0, 2] + Array(11..<good.count) {
                var bad = good
                bad[index] ^= 1
                try bad.write(to: url)
                guard case .unknown = store.read() else {
                    Issue.record("byte \(index) may be changed")
                    continue
                }
            }
            #expect(world.isThere(url.path))
            try good.prefix(9).write(to: url)
            guard case .unknown = store.read() else { throw Odd("a short file") }
            try store.write(Data("new".utf8))
            guard case .present(let data) = store.read() else { throw Odd("written over") }
            #expect(data == Data("new".utf8))
        }
    }

    @Test("APP-03 AP-3 C12: a record under another key is unknown with that cause, and reading neither uses nor removes it")
    func reinstalled() async throws {
        try await World.with { world in
            let keychain = MemoryTokenStore()
            let before = SealedTokenStore(keychain, keyIn: try world.folder)
            try before.write(Data("the old session".utf8))
            guard case .present(let sealed) = keychain.read() else { throw Odd("nothing written") }
            // An extension with a folder of its own, and the app after it was installed again: without a key, and with one.
            let other = try StateFolder(world.path + "/extension")
            for hasKey in [false, true] {
                if hasKey { try SealedTokenStore(MemoryTokenStore(), keyIn: other).write(Data()) }
                guard case .unknown(let error) = SealedTokenStore(keychain, keyIn: other).read() else { throw Odd("taken over") }
                #expect(error.code == "device.record-foreign" && SessionStanding.unknown(error).help == .signIn)
                guard case .present(sealed) = keychain.read() else { throw Odd("removed or changed by reading") }
            }
            guard case .present(let mine) = before.read() else { throw Odd("the app has lost its session") }
            #expect(mine == Data("the old session".utf8))
        }
    }

    @Test("C12: an unreadable place or key is unknown, and nothing is removed for it")
    func unreadable() async throws {
        try await World.with { world in
            let folder = try world.folder
            let store = FileTokenStore(in: folder)
            try store.write(Data("record".utf8))
            let key = world.path + "/state/" + InstallationKey.file
            let kept = try Data(contentsOf: URL(fileURLWithPath: key))
            for bad in [Data(), Data(repeating: 1, count: 31)] {
                try bad.write(to: URL(fileURLWithPath: key))
                guard case .unknown = store.read() else { throw Odd("a damaged key") }
            }
            try FileManager.default.removeItem(atPath: key)
            try FileManager.default.createDirectory(atPath: key, withIntermediateDirectories: false)
            guard case .unknown = store.read() else { throw Odd("a folder for a key") }
            #expect(await code { try store.write(Data()) } == "device.storage")
            try FileManager.default.removeItem(atPath: key)
            try kept.write(to: URL(fileURLWithPath: key))
            guard case .present = store.read() else { throw Odd("nothing was lost") }
        }
    }

    @Test("the state folder is refused where other users could change it, and closed where they could read it")
    func folder() async throws {
        try await World.with { world in
            let manager = FileManager.default
            let path = world.path + "/a/b/state"
            _ = try StateFolder(path)
            try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            _ = try StateFolder(path)
            #expect((try manager.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue == 0o700)
            try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
            #expect(await code { _ = try StateFolder(path) } == "device.storage")
            let link = world.path + "/link"
            try manager.createSymbolicLink(atPath: link, withDestinationPath: world.path + "/a")
            #expect(await code { _ = try StateFolder(link) } == "device.storage")
        }
    }

    @Test("a decision in a folder is final, even with several simultaneous deciders")
    func decided() async throws {
        try await World.with { world in
            let folder = try world.folder
            let found = try await withThrowingTaskGroup(of: String.self) { group in
                for index in 0..<8 { group.addTask { try folder.decided("place") { "choice \(index)" } } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(found.count == 1)
            #expect(try folder.decided("place") { "another" } == found.first)
            #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) == ["place", "place.lock"])
        }
    }

    @Test("one task or view at a time holds a lock, and the counter shows each change")
    func locks() async throws {
        try await World.with { world in
            let (first, second) = (try StateLock(world.folder, "lock"), try StateLock(world.folder, "lock"))
            let inner = try first.tryToHold { try second.tryToHold { true } }
            #expect(inner == .some(nil))
            #expect(try second.tryToHold { true } == true)
            let before = second.changes
            first.noteChange()
            #expect(second.changes != before)
            let busy = try await first.hold(world.time.environment()) { try second.tryToHold {} == nil }
            #expect(busy)
        }
    }
}

/// A finding that ends a test.
struct Odd: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
