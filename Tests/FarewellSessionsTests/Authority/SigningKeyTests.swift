// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellKeys
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Signing keys")
struct SigningKeyTests {
    static func kid(_ token: String) throws -> String {
        let header = try #require(token.split(separator: ".").first.flatMap { Base64URL.bytes($0) })
        return try #require(try JSONDecoder().decode([String: String].self, from: Data(header))["kid"])
    }

    static func published(_ authority: SessionAuthority) async throws -> [String] {
        let set = try JSONDecoder().decode([String: [[String: String]]].self, from: try await authority.keySet())
        return try #require(set["keys"]).compactMap { $0["kid"] }
    }

    @Test(
        "Item 13: a new key is published before it signs; the old one is valid until its last token expires",
        arguments: SQLDialect.allCases)
    func overlap(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let first = try await fixture.person()
            let old = try Self.kid(first.accessToken)
            let new = try await fixture.authority.rotateSigningKey()
            #expect(try await Self.published(fixture.authority) == [new, old])
            fixture.clock.now += 599
            let meanwhile = try await fixture.signIn()
            #expect(try Self.kid(meanwhile.accessToken) == old, "those who cache the set for ten minutes do not know the new one")
            fixture.clock.now += 1
            let after = try await fixture.signIn()
            #expect(try Self.kid(after.accessToken) == new)
            fixture.clock.now += 2999
            for grant in [first, meanwhile] { _ = try? await fixture.caller(grant) }
            _ = try await fixture.caller(meanwhile)
            try await fixture.authority.prune()
            #expect(try await Self.published(fixture.authority) == [new, old])
            fixture.clock.now += 3600
            try await fixture.authority.prune()
            #expect(try await Self.published(fixture.authority) == [new])
        }
    }

    @Test("Item 13: a key removed in an emergency is refused at the next request, by every server", arguments: SQLDialect.allCases)
    func emergency(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let other = try await fixture.again()
            let grant = try await fixture.person()
            _ = try await other.authenticate(grant.accessToken)
            let stolen = try Self.kid(grant.accessToken)
            try await fixture.authority.removeSigningKey(stolen)
            for authority in [other, fixture.authority] {
                #expect(await refusal { _ = try await authority.authenticate(grant.accessToken) } == "bad_jwt")
                #expect(try await Self.published(authority).contains(stolen) == false)
            }
            let next = try await other.refresh(grant.refreshToken)
            #expect(try Self.kid(next.accessToken) != stolen)
            _ = try await fixture.caller(next)
            // Also where one that was published already steps in.
            let upcoming = try await fixture.authority.rotateSigningKey()
            try await fixture.authority.removeSigningKey(try Self.kid(next.accessToken))
            #expect(try Self.kid(try await fixture.signIn().accessToken) == upcoming)
        }
    }

    @Test(
        "Item 13: after the signing key is removed a new key signs, and an old key that still verifies never signs again",
        arguments: SQLDialect.allCases)
    func emergencyAfterRotation(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let other = try await fixture.again()
            let first = try await fixture.person()
            let old = try Self.kid(first.accessToken)
            let stolen = try await fixture.authority.rotateSigningKey()
            fixture.clock.now += 600
            let second = try await fixture.signIn()
            #expect(try Self.kid(second.accessToken) == stolen)
            try await fixture.authority.removeSigningKey(stolen)
            for authority in [other, fixture.authority] {
                #expect(await refusal { _ = try await authority.authenticate(second.accessToken) } == "bad_jwt")
                _ = try await authority.authenticate(first.accessToken)
            }
            let new = try Self.kid(try await other.refresh(second.refreshToken).accessToken)
            #expect(new != old && new != stolen)
            let end = fixture.clock.now + 3660
            #expect(try await other.signingKeys().map(\.standing) == [.signing, .verifying(until: end)])
            // Removing a key that does not sign changes no signer.
            let coming = try await fixture.authority.rotateSigningKey()
            for id in [old, coming] { try await fixture.authority.removeSigningKey(id) }
            #expect(try await Self.published(other) == [new])
            #expect(try Self.kid(try await fixture.signIn().accessToken) == new)
        }
    }

    @Test(
        "OP-4 OPS-01 a removed key that a restored database has again is removed at the next start, and a new one signs",
        arguments: SQLDialect.allCases)
    func restored(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let grant = try await fixture.person()
            let stolen = try Self.kid(grant.accessToken)
            let table = fixture.table("signing_keys")
            let backup = try await fixture.run("SELECT * FROM \(table)").rows
            try await fixture.authority.removeSigningKey(stolen)
            _ = try await fixture.run("DELETE FROM \(table)")
            for row in backup {
                let places = row.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
                let insert = SQLStatement("INSERT INTO \(table) VALUES (\(places))", row)
                _ = try await fixture.fixture.database.run(insert)
            }
            let again = try await fixture.again()
            #expect(await refusal { _ = try await again.authenticate(grant.accessToken) } == "bad_jwt")
            let keys = try await again.signingKeys()
            #expect(keys.count == 1 && keys.first?.standing == .signing && keys.first?.id != stolen)
            #expect(fixture.fixture.log.lines.contains { $0.contains("signing keys again") })
            #expect(try await again.parts.returnedKeys.remove().isEmpty)
        }
    }

    @Test(
        "OP-4 OPS-01 a key is removed although the file of stops takes no line, and the next process adds the line",
        arguments: SQLDialect.allCases)
    func late(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let first = try Self.kid(try await fixture.person().accessToken)
            // A folder in the place of the file, which has no lines yet.
            let file = URL(fileURLWithPath: fixture.fixture.state).appendingPathComponent("stops.jsonl")
            if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            try await fixture.authority.removeSigningKey(first)
            let second = try #require(try await Self.published(fixture.authority).first)
            try await fixture.authority.removeSigningKey(second)
            #expect(try await !Self.published(fixture.authority).contains { [first, second].contains($0) })
            #expect(fixture.fixture.log.lines.contains { $0.contains("in the database only") })
            try FileManager.default.removeItem(at: file)

            // Another process: the one that could not write has ended.
            let again = try await fixture.again()
            #expect(try again.parts.returnedKeys.keys.stops.read().removedKeys == [first, second])
            let late = "SELECT count(*) FROM \(fixture.table("signing_key_version")) WHERE late_removals IS NOT NULL"
            #expect(try await fixture.run(late).scalar?.integer == 0)
            let size = try Data(contentsOf: file).count
            try await again.parts.returnedKeys.remove()
            #expect(try Data(contentsOf: file).count == size, "a line is added once")
        }
    }

    /// An operator's token, which belongs to no session, signed by the key that signs now.
    static func operatorToken(_ fixture: AuthorityFixture) async throws -> String {
        let (header, key) = try await fixture.authority.parts.ring.current().signer(at: fixture.clock.now)
        let input = header + "." + Base64URL.text(try CanonicalJSON.data(["role": "service_role"]))
        return input + "." + Base64URL.text(try key.signature(for: Data(input.utf8)))
    }

    @Test(
        "Item 13: a key removed in an emergency grants no operator role on any server; a secret queries no database",
        arguments: SQLDialect.allCases)
    func emergencyOfOperators(dialect: SQLDialect) async throws {
        let secrets = [try SharedSecret(AccessTokenTests.secret)]
        try await AuthorityFixture.with(dialect, { $0.sharedSecrets = secrets }) { fixture in
            let counted = CountedDatabase(fixture.fixture.database)
            let other = try await fixture.again(on: counted) { $0.sharedSecrets = secrets }
            let third = try await fixture.again()
            let token = try await Self.operatorToken(fixture)
            let grant = try await fixture.person()
            #expect(try await other.administrator(token).role == "service_role")
            #expect(await refusal { _ = try await third.recognise(grant.accessToken) } == "session_not_found", "it lives")
            try await fixture.authority.close([grant.user.id.text])
            _ = try await third.recognise(grant.accessToken)
            let secret = try AccessTokenTests.token(["role": "service_role"])
            var before = counted.count
            _ = try await other.administrator(secret)
            #expect(counted.count == before)
            before = counted.count
            _ = try await other.administrator(token)
            #expect(counted.count - before == 1)
            try await fixture.authority.removeSigningKey(try Self.kid(token))
            #expect(await refusal { _ = try await third.recognise(grant.accessToken) } == "bad_jwt")
            for authority in [other, fixture.authority] {
                #expect(await refusal { _ = try await authority.administrator(token) } == "bad_jwt")
                _ = try await authority.administrator(secret)
            }
            let next = try await Self.operatorToken(fixture)
            _ = try await other.administrator(next)
        }
    }

    @Test(
        "Item 13: the list of keys shows the signing key, the start of the next one, and the end of an old one",
        arguments: SQLDialect.allCases)
    func list(dialect: SQLDialect) async throws {
        let secret = try SharedSecret(AccessTokenTests.secret)
        try await AuthorityFixture.with(dialect) { fixture in
            let start = fixture.clock.now
            let old = try Self.kid(try await fixture.person().accessToken)
            fixture.clock.now += 60
            let new = try await fixture.authority.rotateSigningKey()
            let keys = try await fixture.authority.signingKeys()
            #expect(keys.map(\.id) == [new, old] && keys.map(\.algorithm) == ["ES256", "ES256"])
            #expect(keys.map(\.madeAt) == [start + 60, start])
            #expect(keys.map(\.signsFrom) == [start + 660, start])
            #expect(keys.map(\.standing) == [.coming, .signing])
            fixture.clock.now += 600
            let end = start + 4320
            #expect(try await fixture.authority.signingKeys().map(\.standing) == [.signing, .verifying(until: end)])
            #expect(try await fixture.authority.signingKey(old).standing == .verifying(until: end))
            #expect(await refusal { _ = try await fixture.authority.signingKey("another") } == "authority.unknown-key")
            #expect(await refusal { try await fixture.authority.removeSigningKey("another") } == "authority.unknown-key")
            // Where a secret signs instead, none of them does, and none is made for one that is removed.
            let bySecret = try await fixture.again { $0.signing = .hs256(secret) }
            #expect(try await bySecret.signingKeys().map(\.standing) == [.verifying(until: nil), .verifying(until: end)])
            for id in [new, old] { try await bySecret.removeSigningKey(id) }
            #expect(try await bySecret.signingKeys().isEmpty)
        }
    }

    @Test("key management uses the servers' existing keys, and creates nothing where nothing exists", arguments: SQLDialect.allCases)
    func existing(dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, "") { fixture in
            #expect(await refusal { _ = try await Self.visit(fixture) } == "state.missing")
            #expect(!FileManager.default.fileExists(atPath: fixture.state))
            _ = try KeyStore.prepared(in: StateDirectory.prepared(at: fixture.state), now: { Date(timeIntervalSince1970: 0) })
            #expect(await refusal { _ = try await Self.visit(fixture) } == "authority.missing")
            #expect(try await Schema.read(from: fixture.database).tables.isEmpty)
        }
        try await AuthorityFixture.with(dialect) { fixture in
            let made = try await Self.visit(fixture.fixture).rotateSigningKey()
            #expect(try await Self.published(fixture.authority).first == made)
            try FileManager.default.moveItem(atPath: fixture.fixture.state, toPath: fixture.fixture.folder + "/aside")
            _ = try KeyStore.prepared(in: StateDirectory.prepared(at: fixture.fixture.state), now: { Date(timeIntervalSince1970: 0) })
            #expect(await refusal { _ = try await Self.visit(fixture.fixture) } == "authority.other-keys")
        }
    }

    private static func visit(_ fixture: EngineFixture) async throws -> SessionAuthority {
        let clock = fixture.clock
        let environment = EngineEnvironment(
            now: { clock.now }, makeIdentifier: { UUID() }, sleep: { try await ContinuousClock().sleep(for: $0) },
            owner: "here:1:b", isDead: { _ in false }, log: fixture.log.logger)
        return try await SessionAuthority.existing(
            fixture.database, settings: AuthoritySettings(issuer: "https://a"), state: fixture.state, environment: environment)
    }

    @Test("a server that signs with another algorithm publishes its key and keeps the old one valid", arguments: SQLDialect.allCases)
    func algorithm(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let before = try await fixture.person()
            let changed = try await fixture.again { $0.signing = .edDSA }
            _ = try await changed.authenticate(before.accessToken)
            fixture.clock.now += 600
            let after = try await changed.refresh(before.refreshToken)
            #expect(try Self.kid(after.accessToken) != Self.kid(before.accessToken))
            _ = try await fixture.caller(after)
            #expect(try await Self.published(changed).count == 2)
        }
    }

    @Test("a shared secret changes with an overlap, by configuration", arguments: SQLDialect.allCases)
    func sharedSecret(dialect: SQLDialect) async throws {
        let (old, new) = (try SharedSecret(String(repeating: "o", count: 32)), try SharedSecret(String(repeating: "n", count: 32)))
        try await AuthorityFixture.with(dialect, { $0.signing = .hs256(old) }) { fixture in
            let grant = try await fixture.person()
            let overlapping = try await fixture.again { ($0.signing, $0.sharedSecrets) = (.hs256(new), [old]) }
            _ = try await overlapping.authenticate(grant.accessToken)
            let next = try await overlapping.refresh(grant.refreshToken)
            let afterwards = try await fixture.again { $0.signing = .hs256(new) }
            _ = try await afterwards.authenticate(next.accessToken)
            #expect(await refusal { _ = try await afterwards.authenticate(grant.accessToken) } == "bad_jwt")
            #expect(await refusal { _ = try await afterwards.rotateSigningKey() } == "authority.shared-secret")
        }
        #expect(throws: FarewellError.self) { try SharedSecret(String(repeating: "s", count: 31)) }
        #expect("\(old)" == "***")
    }

    @Test("eight servers that start at once create one key", arguments: SQLDialect.allCases)
    func together(dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, "", postgresql: PostgreSQLConfiguration(maximumConnections: 16)) { fixture in
            let published = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let clock = fixture.clock
                        let environment = EngineEnvironment(
                            now: { clock.now }, makeIdentifier: { UUID() }, sleep: { try await ContinuousClock().sleep(for: $0) },
                            owner: "here:1:a", isDead: { _ in false }, log: fixture.log.logger)
                        let authority = try await SessionAuthority.open(
                            fixture.database, settings: AuthoritySettings(issuer: "https://a"), state: fixture.state,
                            environment: environment)
                        return try await Self.published(authority)
                    }
                }
                return try await group.reduce(into: Set<[String]>()) { $0.insert($1) }
            }
            #expect(published.count == 1 && published.first?.count == 1)
        }
    }

    @Test("the key schedule depends only on time")
    func schedule() {
        let start = Date(timeIntervalSince1970: 1_763_726_400)
        let schedule = KeySchedule([
            .init(id: "c", activeFrom: start + 2000), .init(id: "a", activeFrom: start), .init(id: "b", activeFrom: start + 1000),
        ])
        #expect(schedule.signer(at: start - 1) == "a")
        #expect([0, 999, 1000, 1999, 2000, 9999].map { schedule.signer(at: start + $0) } == ["a", "a", "b", "b", "c", "c"])
        #expect(schedule.outlived(at: start + 4659, tokenLife: .seconds(3600)) == [])
        #expect(schedule.outlived(at: start + 4660, tokenLife: .seconds(3600)) == ["a"])
        #expect(schedule.outlived(at: start + 99_999, tokenLife: .seconds(3600)) == ["a", "b"])
        #expect(KeySchedule([]).signer(at: start) == nil && KeySchedule([]).successor(at: start) == nil)
        #expect([-1, 0, 1000, 2000].map { schedule.successor(at: start + $0) } == ["b", "b", "c", nil])
        let standings = { (seconds: Double) in
            ["a", "b", "c", "d"].map { schedule.standing(of: $0, at: start + seconds, tokenLife: .seconds(3600)) }
        }
        #expect(standings(-1) == [.signing, .coming, .coming, nil])
        #expect(standings(1000) == [.verifying(until: start + 4660), .signing, .coming, nil])
        #expect(standings(2000) == [.verifying(until: start + 4660), .verifying(until: start + 5660), .signing, nil])
    }
}
