// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The keys of an installation")
struct KeyStoreTests {
    let users = TableName(schema: "auth", "users")

    @Test("keys are made once and read back the same, in a folder and files for their owner only")
    func made() throws {
        let folder = try StateFolder()
        let made = try folder.keys()
        let read = try KeyStore.existing(in: .existing(at: folder.path))
        #expect(made.publicKeys == read.publicKeys)
        #expect(made.subjectHash(table: users, key: .integer(1)) == read.subjectHash(table: users, key: .integer(1)))
        #expect(try folder.keys().publicKeys == made.publicKeys)
        #expect(try folder.mode("keys.json") == 0o600 && folder.mode("lock") == 0o600 && folder.mode("") == 0o700)
    }

    @Test("two installations never share a key")
    func distinct() throws {
        let (one, other) = (try StateFolder(), try StateFolder())
        let (a, b) = (try one.keys(), try other.keys())
        #expect(a.signingKey.publicKey != b.signingKey.publicKey)
        #expect(a.subjectHash(table: users, key: .integer(1)) != b.subjectHash(table: users, key: .integer(1)))
    }

    @Test("randomness is injected: the same seed gives the same keys")
    func seeded() throws {
        let (one, other) = (try StateFolder(), try StateFolder())
        _ = try one.keys(entropy: .seeded(7))
        _ = try other.keys(entropy: .seeded(7))
        #expect(try one.read("keys.json") == other.read("keys.json"))
    }

    @Test("no keys are made beside an old ledger, since new keys would lose every subject in it")
    func ledgerWithoutKeys() throws {
        let folder = try StateFolder()
        try LedgerFile(try folder.keys()).append([.sample(1)])
        try FileManager.default.removeItem(atPath: folder.path("keys.json"))
        #expect(code { _ = try folder.keys() } == "keys.missing")
    }

    @Test("a missing key file and a missing folder give an error that says so")
    func missing() throws {
        let folder = try StateFolder()
        #expect(code { _ = try KeyStore.existing(in: .existing(at: folder.path)) } == "keys.missing")
        #expect(code { _ = try StateDirectory.existing(at: folder.path("none")) } == "state.missing")
        #expect(code { _ = try StateDirectory.prepared(at: folder.path("none/deeper")) } == "file.missing")
        #expect(try StateDirectory.prepared(at: folder.path("new")).contains("keys.json") == false)
        #expect(try folder.mode("new") == 0o700)
    }

    @Test("a key file with any byte changed, cut or added is refused")
    func corrupt() throws {
        let folder = try StateFolder()
        _ = try folder.keys()
        let good = try folder.read("keys.json")
        for place in good.indices {
            var bad = good
            bad[place] ^= 1
            // The line feed at the end is not part of the keys, and white space there changes nothing.
            guard place < good.count - 1 else { continue }
            try folder.overwrite("keys.json", bad)
            let answer = code { _ = try folder.keys() }
            #expect(answer == "keys.corrupt" || answer == "keys.version", "byte \(place)")
        }
        for bad in [Data(), good.prefix(good.count / 2), good + good, Data("{}".utf8), Data(count: 100)] {
            try folder.overwrite("keys.json", bad)
            #expect(code { _ = try folder.keys() } == "keys.corrupt")
        }
        try folder.overwrite("keys.json", Data(count: 2 << 20))
        #expect(code { _ = try folder.keys() } == "state.too-large")
        try folder.overwrite("keys.json", good)
        #expect(code { _ = try folder.keys() } == nil)
    }

    @Test(
        "a key file that other users can read or change is refused", arguments: [0o644, 0o640, 0o606, 0o620, 0o601, 0o777])
    func exposedFile(mode: Int) throws {
        let folder = try StateFolder()
        _ = try folder.keys()
        try folder.set(mode: mode, of: "keys.json")
        #expect(code { _ = try folder.keys() } == "state.readable-by-others")
    }

    @Test(
        "a folder that other users can read or change is refused",
        arguments: [0o755, 0o750, 0o701, 0o710, 0o720, 0o704, 0o702, 0o770])
    func exposedFolder(mode: Int) throws {
        let folder = try StateFolder()
        try folder.set(mode: mode, of: "")
        #expect(code { _ = try folder.keys() } == "state.readable-by-others")
        try folder.set(mode: 0o700, of: "")
    }

    @Test("symbolic links in place of keys, lock, ledger or folder are refused, and their targets stay unchanged")
    func links() throws {
        let outside = try StateFolder()
        let canary = Data("outside".utf8)
        try canary.write(to: URL(fileURLWithPath: outside.path("canary")))
        try outside.set(mode: 0o600, of: "canary")
        for name in ["keys.json", "lock", "ledger.jsonl"] {
            let folder = try StateFolder()
            if name == "ledger.jsonl" { _ = try folder.keys() }
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(name), withDestinationPath: outside.path("canary"))
            #expect(code { try LedgerFile(try folder.keys()).append([.sample(1)]) } == "state.link", "\(name)")
        }
        #expect(try outside.read("canary") == canary)
        let real = try StateFolder()
        try FileManager.default.createSymbolicLink(atPath: real.path("link"), withDestinationPath: outside.path)
        #expect(code { _ = try StateDirectory.existing(at: real.path("link")) } == "state.not-a-folder")
        #expect(code { _ = try StateDirectory.existing(at: outside.path("canary")) } == "state.not-a-folder")
    }

    @Test("a folder or a pipe in place of the keys is refused without any wait")
    func wrongKind() throws {
        let folder = try StateFolder()
        try FileManager.default.createDirectory(atPath: folder.path("keys.json"), withIntermediateDirectories: false)
        #expect(code { _ = try folder.keys() } == "state.wrong-kind")
        try FileManager.default.removeItem(atPath: folder.path("keys.json"))
        #expect(mkfifo(folder.path("keys.json"), 0o600) == 0)
        #expect(code { _ = try folder.keys() } == "state.wrong-kind")
    }

    @Test("half-written files beside the keys after a crash do no harm")
    func leftover() throws {
        let folder = try StateFolder()
        let keys = try folder.keys()
        try Data("half".utf8).write(to: URL(fileURLWithPath: folder.path("keys.json.new")))
        let rotated = try keys.rotated(now: { Date(timeIntervalSince1970: 1_763_800_000) })
        #expect(try KeyStore.existing(in: .existing(at: folder.path)).publicKeys == rotated.publicKeys)
        #expect(!FileManager.default.fileExists(atPath: folder.path("keys.json.new")))
    }

    @Test("several simultaneous starts make one set of keys")
    func race() async throws {
        let folder = try StateFolder()
        let found = try await withThrowingTaskGroup(of: PublicKeyList.self) { group in
            for _ in 0..<16 { group.addTask { try folder.keys().publicKeys } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(found.count == 1)
    }

    @Test("OP-3 a process stopped during an update of the clock mark delays neither clock nor ledger nor keys")
    func stoppedClock() throws {
        let folder = try StateFolder()
        _ = try folder.keys()
        var directory = try StateDirectory.existing(at: folder.path)
        directory.lockWait = LockWait(looks: 1, pause: {})
        let wall = Date(timeIntervalSince1970: 1_800_000_000)
        let reading = ClockReading(wall: wall, uptime: 60, boot: "boot")
        #expect(try ClockFile(directory).check(reading, since: wall, isConfirmed: true) == .trusted)
        let holder = try #require(FileHandle(forUpdatingAtPath: folder.path("clock.lock")))
        #expect(flock(holder.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        #expect(try ClockFile(directory).check(reading, since: wall, isConfirmed: true) == .trusted)
        #expect(try directory.locked { true })
        try holder.close()
    }

    @Test("OP-3 a process reads a file that is made once while another holds the lock, and only one process makes it")
    func textMadeOnce() throws {
        let folder = try StateFolder()
        _ = try folder.keys()
        var directory = try StateDirectory.existing(at: folder.path)
        directory.lockWait = LockWait(looks: 1, pause: {})
        #expect(try directory.text("made", limit: 64) { "first" } == "first\n")
        let holder = try #require(FileHandle(forUpdatingAtPath: folder.path("lock")))
        #expect(flock(holder.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        #expect(try directory.text("made", limit: 64) { "second" } == "first\n")
        let impatient = directory
        #expect(code { _ = try impatient.text("other", limit: 64) { "third" } } == "state.busy")
        try holder.close()
    }

    @Test("a process that stalls with the lock delays others for a limited time, and nothing is made meanwhile")
    func heldLock() throws {
        let folder = try StateFolder()
        #expect(
            FileManager.default.createFile(
                atPath: folder.path("lock"), contents: nil, attributes: [.posixPermissions: 0o600]))
        let holder = try #require(FileHandle(forUpdatingAtPath: folder.path("lock")))
        let raw = holder.fileDescriptor
        #expect(flock(raw, LOCK_EX | LOCK_NB) == 0)
        let pauses = Guarded(0)
        var directory = try StateDirectory.existing(at: folder.path)
        directory.lockWait = LockWait(looks: 4, pause: { pauses.withLock { $0 += 1 } })
        let impatient = directory
        #expect(code { _ = try KeyStore.prepared(in: impatient, now: { Date(timeIntervalSince1970: 0) }) } == "state.busy")
        #expect(pauses.withLock { $0 } == 3)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["lock"])
        directory.lockWait = LockWait(looks: 4, pause: { _ = flock(raw, LOCK_UN) })
        let lucky = directory
        #expect(code { _ = try KeyStore.prepared(in: lucky, now: { Date(timeIntervalSince1970: 0) }) } == nil)
        try holder.close()
    }

    @Test("rotation keeps every public key, forgets the private one, and leaves subjects known")
    func rotation() throws {
        let folder = try StateFolder()
        var keys = try folder.keys()
        let subject = keys.subjectHash(table: users, key: .text("a"))
        var old: [SigningPublicKey] = []
        for day in 1...3 {
            old.insert(keys.signingKey.publicKey, at: 0)
            let seed = Base64URL.text(keys.signingKey.seed)
            keys = try keys.rotated(now: { Date(timeIntervalSince1970: 1_763_723_280 + Double(day) * 86_400) })
            #expect(!String(decoding: try folder.read("keys.json"), as: UTF8.self).contains(seed))
        }
        let read = try KeyStore.existing(in: .existing(at: folder.path))
        #expect(read.publicKeys.keys == [keys.signingKey.publicKey] + old)
        #expect(read.subjectHash(table: users, key: .text("a")) == subject)
    }

    @Test("nothing prints a secret")
    func silent() throws {
        let folder = try StateFolder()
        let keys = try folder.keys()
        let seal = keys.newSeal(run: UUID())
        let secrets = [keys.signingKey.seed, seal.columnKey(ColumnName(TableName("users"), "email")).bytes]
        var dumped = ""
        dump(keys, to: &dumped)
        dump(seal, to: &dumped)
        dump(keys.signingKey, to: &dumped)
        dumped += "\(keys) \(seal) \(keys.signingKey) \(String(reflecting: keys)) \(String(reflecting: seal))"
        for secret in secrets {
            #expect(!dumped.contains(Base64URL.text(secret)) && !dumped.contains(secret.hexadecimal))
            #expect(!dumped.contains("\(secret[0]), \(secret[1]), \(secret[2])"))
        }
        #expect("\(Secret([1, 2, 3]))" == "***")
    }
}
