// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Eventually
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Passwords")
struct PasswordTests {
    /// Of crypt_blowfish's own tests: the password is U*U.
    static let bcrypt = "05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"

    @Test("scrypt gives the values of RFC 7914, and a stored hash is read back as written")
    func scrypt() throws {
        let made = try PasswordWork.live.scrypt(
            Array("password".utf8), Array("NaCl".utf8), ScryptCost(logN: 10, blockSize: 8, parallelism: 16))
        #expect(made.hexadecimal == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162")
        let hash = PasswordHash.scrypt(ScryptCost(), salt: Array(0..<16), hash: made)
        #expect(hash.text.hasPrefix("$scrypt$ln=15,r=8,p=3$AAECAwQFBgcICQoLDA0ODw$"))
        #expect(PasswordHash(hash.text) == hash)
    }

    @Test(
        "a stored text that is not a valid hash is no user's password",
        arguments: [
            "", "$", "plain", "$2a$05$short", "$2x$" + PasswordTests.bcrypt, "$2a$31" + PasswordTests.bcrypt.dropFirst(2),
            "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe:", "$scrypt$ln=40,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$AA",
            "$scrypt$ln=15,r=8,p=3$$", "$scrypt$r=8,ln=15,p=3$AAECAwQFBgcICQoLDA0ODw$AA", "$argon2id$v=19$m=1,t=1,p=1$AA$AA",
        ])
    func unreadable(text: String) {
        #expect(PasswordHash(text) == nil)
    }

    @Test("SC-2 no imported scrypt hash costs more memory or work than the dearest that the settings allow")
    func dearest() {
        func isRead(_ logN: Int, _ blockSize: Int, _ parallelism: Int) -> Bool {
            let cost = ScryptCost(logN: logN, blockSize: blockSize, parallelism: parallelism)
            let made = PasswordHash.scrypt(cost, salt: Array(0..<16), hash: Array(repeating: 1, count: 32))
            return PasswordHash(made.text) == made
        }
        for (logN, blockSize, parallelism) in [(20, 8, 3), (20, 8, 1), (18, 32, 3), (17, 8, 16), (16, 32, 12), (10, 8, 16)] {
            #expect(isRead(logN, blockSize, parallelism), "\(logN) \(blockSize) \(parallelism)")
        }
        for (logN, blockSize, parallelism) in [(20, 9, 1), (20, 8, 4), (19, 32, 1), (18, 32, 4), (20, 32, 16), (18, 8, 16)] {
            #expect(!isRead(logN, blockSize, parallelism), "\(logN) \(blockSize) \(parallelism)")
        }
    }

    @Test("the authority checks bcrypt hashes of each kind")
    func crypt() throws {
        for kind in ["$2a$", "$2b$", "$2y$"] {
            #expect(try PasswordWork.live.bcrypt("U*U", kind + Self.bcrypt) == kind + Self.bcrypt)
            #expect(try PasswordWork.live.bcrypt("U*V", kind + Self.bcrypt) != kind + Self.bcrypt)
        }
    }

    @Test(
        "migrated users keep identifier and password, and get a new hash at their next sign-in", arguments: SQLDialect.allCases,
        ["$2a$", "$2b$", "$2y$"])
    func imported(dialect: SQLDialect, kind: String) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            var draft = AdministratorChange()
            (draft.id, draft.email, draft.passwordHash, draft.confirmsEmail) = (UUID(), "anna@example.org", kind + Self.bcrypt, true)
            let anna = try await fixture.authority.createUser(draft)
            #expect(anna.id == draft.id)
            #expect(
                await refusal { _ = try await fixture.authority.signIn(email: "anna@example.org", password: "U*V") }
                    == "invalid_credentials")
            _ = fixture.work.taken()
            let grant = try await fixture.authority.signIn(email: "anna@example.org", password: "U*U")
            #expect(grant.user.id == anna.id && fixture.work.taken() == ["bcrypt": 1, "scrypt": 1])
            let stored = try await fixture.run("SELECT encrypted_password FROM \(fixture.table("users"))").scalar?.text ?? ""
            #expect(stored.hasPrefix("$scrypt$"))
            _ = try await fixture.authority.signIn(email: "anna@example.org", password: "U*U")
            #expect(fixture.work.taken() == ["scrypt": 1], "no bcrypt is left to hide")
        }
    }

    @Test("a hash of another cost is replaced at the next sign-in", arguments: SQLDialect.allCases)
    func dearer(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            try await fixture.person()
            let dearer = try await fixture.again { $0.passwordCost = ScryptCost(logN: 3, blockSize: 1, parallelism: 1) }
            _ = try await dearer.signIn(email: "anna@example.org", password: AuthorityFixture.password)
            let stored = try await fixture.run("SELECT encrypted_password FROM \(fixture.table("users"))").scalar?.text ?? ""
            #expect(stored.hasPrefix("$scrypt$ln=3,r=1,p=1$"))
            _ = try await fixture.signIn()
        }
    }

    @Test(
        "Item 33: a thousand failed sign-ins take the same work for every name, and get the same answer", arguments: SQLDialect.allCases,
        [false, true])
    func enumeration(dialect: SQLDialect, hasImports: Bool) async throws {
        try await AuthorityFixture.with(dialect, { $0.attempts.attempts = 1_000_000 }) { fixture in
            try await fixture.person()
            _ = try await fixture.authority.signIn(
                AuthorityFixture.identityToken("apple", ["email": "apple@example.org"]))
            if hasImports {
                var draft = AdministratorChange()
                (draft.email, draft.passwordHash) = ("imported@example.org", "$2a$" + Self.bcrypt)
                _ = try await fixture.authority.createUser(draft)
            }
            let names = ["anna", "apple", "nobody", "imported"]
            var work: Set<[String: Int]> = []
            var answers: Set<String> = []
            for sample in 0..<(hasImports ? 40 : 1000) {
                _ = fixture.work.taken()
                let email = "\(names[sample % names.count])@example.org"
                do {
                    _ = try await fixture.authority.signIn(email: email, password: ["wrong", "", "U*V\u{0}"][sample % 3])
                } catch let error as FarewellError {
                    answers.insert("\(error.code.rawValue) \(error.description)")
                }
                work.insert(fixture.work.taken())
            }
            #expect(work == [hasImports ? ["scrypt": 1, "bcrypt": 1] : ["scrypt": 1]])
            #expect(answers == ["auth.invalid_credentials Invalid login credentials"])
        }
    }

    @Test(
        "a failed sign-in takes as much bcrypt as the most expensive imported hash, for every user name", arguments: SQLDialect.allCases)
    func dearestImport(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, { $0.attempts.attempts = 1_000_000 }) { fixture in
            try await fixture.person()
            func bring(_ name: String, _ hash: String) async throws {
                var draft = AdministratorChange()
                (draft.email, draft.passwordHash, draft.confirmsEmail) = ("\(name)@example.org", hash, true)
                _ = try await fixture.authority.createUser(draft)
            }
            func costs(_ name: String, _ password: String = "wrong") async -> [Int] {
                _ = (fixture.work.taken(), fixture.work.takenCosts())
                let code = await refusal {
                    _ = try await fixture.authority.signIn(email: "\(name)@example.org", password: password)
                }
                #expect(code == "invalid_credentials")
                #expect(fixture.work.taken()["scrypt"] == 1)
                return fixture.work.takenCosts()
            }
            #expect(await costs("nobody") == [])
            try await bring("cheap", "$2a$" + Self.bcrypt)
            #expect(await costs("nobody") == [5])
            for (name, cost) in [("dear", "08"), ("middle", "06")] {
                try await bring(name, "$2b$" + cost + Self.bcrypt.dropFirst(2))
            }
            // One that no server checks, as a dump of people may hold it.
            let beyond = try await fixture.person("beyond").user.id
            _ = try await fixture.run(
                "UPDATE \(fixture.table("users")) SET encrypted_password = $1 WHERE id = $2",
                .text("$2a$31" + Self.bcrypt.dropFirst(2)), .uuid(beyond))
            for password in ["wrong", "", "U*U\u{0}"] {
                for name in ["anna", "nobody", "dear", "beyond"] { #expect(await costs(name, password) == [8], "\(name)") }
                #expect(await costs("middle", password) == [6, 6, 7])
                #expect(await costs("cheap", password) == [5, 5, 6, 7])
            }
            _ = try await fixture.run(
                "DELETE FROM \(fixture.table("users")) WHERE email = $1", .text("dear@example.org"))
            #expect(await costs("nobody") == [6])
            #expect(await costs("cheap") == [5, 5])
        }
    }

    @Test(
        "Item 33: after a raise of the cost, a failed sign-in takes as much scrypt as for an unknown user", arguments: SQLDialect.allCases)
    func raisedCost(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            try await fixture.person()
            let authority = try await fixture.again { $0.passwordCost = ScryptCost(logN: 5, blockSize: 1, parallelism: 1) }
            func taken(_ name: String, _ password: String) async -> [Int] {
                _ = fixture.work.takenScryptCosts()
                _ = await refusal { _ = try await authority.signIn(email: "\(name)@example.org", password: password) }
                return fixture.work.takenScryptCosts()
            }
            #expect(await taken("nobody", "wrong") == [5])
            // Each is twice the one before: 4 + 4 + 8 + 16 is 32.
            #expect(await taken("anna", "wrong") == [2, 2, 3, 4])
            #expect(await taken("anna", "") == [2, 2, 3, 4])
            #expect(await taken("anna", AuthorityFixture.password) == [2, 5], "what is right is stored anew")
            #expect(await taken("anna", "wrong") == [5])
        }
    }

    @Test("hashing is limited in simultaneous and in waiting hashes, and the rest are refused at once")
    func queue() async throws {
        let queue = HashQueue(HashingLimits(concurrent: 2, waiting: 3)) { .now }
        let gate = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { try await queue.run { gate.wait() } } }
            try await eventually { queue.load == (2, 3) }
            #expect(await refusal { try await queue.run {} } == "over_request_rate_limit")
            for _ in 0..<5 { gate.signal() }
            try await group.waitForAll()
        }
        #expect(queue.load == (0, 0))
        #expect(try await queue.run { 7 } == 7)
    }

    @Test(
        "a caller that waited too long is refused at its turn; the turn passes to the next caller in time, or becomes free",
        arguments: [true, false])
    func late(isNextInTime: Bool) async throws {
        let clock = FixtureClock()
        let queue = HashQueue(HashingLimits(concurrent: 1, waiting: 3, longestWait: .seconds(5))) { clock.now }
        let gate = DispatchSemaphore(value: 0)
        async let first: Void = queue.run { gate.wait() }
        try await eventually { queue.load == (1, 0) }
        async let second = refusal { try await queue.run {} }
        async let third = refusal { try await queue.run {} }
        try await eventually { queue.load == (1, 2) }
        clock.now += 5.1
        let next = isNextInTime ? Task { try await queue.run { "in time" } } : nil
        try await eventually { queue.load == (1, isNextInTime ? 3 : 2) }
        gate.signal()
        try await first
        #expect(await [second, third] == ["over_request_rate_limit", "over_request_rate_limit"])
        #expect(try await next?.value == (isNextInTime ? "in time" : nil))
        #expect(queue.load == (0, 0))
        #expect(try await queue.run { 7 } == 7)
    }

    @Test("a sign-in refused by a full queue queries no database, and does not count as a password attempt")
    func noRoom() async throws {
        try await AuthorityFixture.with(.sqlite, { $0.hashing = HashingLimits(concurrent: 1, waiting: 0) }) { fixture in
            try await fixture.person()
            let gate = DispatchSemaphore(value: 0)
            let queue = fixture.authority.parts.passwords.queue
            async let busy: Void = queue.run { gate.wait() }
            try await eventually { queue.load.running == 1 }
            for _ in 0..<3 {
                let refused = await refusal {
                    _ = try await fixture.authority.signIn(email: "anna@example.org", password: AuthorityFixture.password)
                }
                #expect(refused == "over_request_rate_limit")
            }
            #expect(try await fixture.count("password_attempts") == 0)
            gate.signal()
            try await busy
            _ = try await fixture.authority.signIn(email: "anna@example.org", password: AuthorityFixture.password)
        }
    }

    @Test("a caller that gives up while waiting for a hash leaves the queue")
    func cancelled() async throws {
        let queue = HashQueue(HashingLimits(concurrent: 1, waiting: 2)) { .now }
        let gate = DispatchSemaphore(value: 0)
        async let first: Void = queue.run { gate.wait() }
        try await eventually { queue.load.running != 0 }
        let waiting = Task { try await queue.run {} }
        try await eventually { queue.load.waiting != 0 }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(queue.load == (1, 0))
        gate.signal()
        try await first
        #expect(queue.load == (0, 0))
    }

    @Test("SC-2 a caller that gives up during a hash goes no further, and its place becomes free")
    func gone() async throws {
        let queue = HashQueue(HashingLimits(concurrent: 1, waiting: 2)) { .now }
        let gate = DispatchSemaphore(value: 0)
        let hashing = Task { try await queue.run { gate.wait() } }
        try await eventually { queue.load.running == 1 }
        hashing.cancel()
        gate.signal()
        await #expect(throws: CancellationError.self) { try await hashing.value }
        #expect(queue.load == (0, 0))
    }
}
