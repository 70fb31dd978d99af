// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellKeys
import FarewellSQL
import FarewellSample
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("The session store")
struct AuthorityStoreTests {
    @Test("a second opening finds the same data; a store of a newer binary is refused", arguments: SQLDialect.allCases)
    func versions(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            try await fixture.person()
            _ = try await fixture.again()
            _ = try await fixture.signIn()
            _ = try await fixture.run(
                "INSERT INTO \(fixture.table("migrations")) (version, applied_at) VALUES (99, $1)",
                .timestamp(fixture.clock.now))
            #expect(await refusal { _ = try await fixture.again() } == "authority.newer")
            try FileManager.default.moveItem(atPath: fixture.fixture.state, toPath: fixture.fixture.folder + "/aside")
            #expect(await refusal { _ = try await fixture.again() } == "authority.newer")
            #expect(!FileManager.default.fileExists(atPath: fixture.fixture.state), "no keys are made for it")
        }
    }

    @Test("another program's tables with the same names stay untouched", arguments: SQLDialect.allCases)
    func foreign(dialect: SQLDialect) async throws {
        let script =
            dialect == .postgresql
            ? "CREATE SCHEMA auth; CREATE TABLE auth.users (id uuid)" : "CREATE TABLE auth_users (id text)"
        try await EngineFixture.with(dialect, script) { fixture in
            let environment = EngineEnvironment(
                now: { Date(timeIntervalSince1970: 0) }, makeIdentifier: { UUID() },
                sleep: { try await ContinuousClock().sleep(for: $0) },
                owner: "here:1:a", isDead: { _ in false }, log: fixture.log.logger)
            let code = await refusal {
                _ = try await SessionAuthority.open(
                    fixture.database, settings: AuthoritySettings(issuer: "https://a"), state: fixture.state,
                    environment: environment)
            }
            #expect(code == "authority.foreign-table")
        }
    }

    @Test("the keys of another installation open nothing", arguments: SQLDialect.allCases)
    func otherKeys(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            try FileManager.default.moveItem(atPath: fixture.fixture.state, toPath: fixture.fixture.folder + "/aside")
            #expect(await refusal { _ = try await fixture.again() } == "authority.other-keys")
        }
    }

    @Test(
        "an impossible setting is refused before any change",
        arguments: [
            { $0.issuer = "" }, { $0.accessTokenLife = .zero }, { $0.accessTokenLife = .seconds(86_401) },
            { $0.passwordCost.logN = 63 }, { $0.lifetime.inactivity = .zero }, { $0.attempts.attempts = 0 },
            { $0.identityProviders = [.apple(clientIDs: []), .apple(clientIDs: [])] },
            { $0.reuseInterval = .seconds(-1) },
        ] as [@Sendable (inout AuthoritySettings) -> Void])
    func settings(edit: @Sendable (inout AuthoritySettings) -> Void) {
        var settings = AuthoritySettings(issuer: "https://a")
        #expect(throws: Never.self) { try settings.check() }
        edit(&settings)
        #expect(throws: FarewellError.self) { try settings.check() }
    }

    @Test("users have every column of the coachme example's own table", arguments: SQLDialect.allCases)
    func superset(dialect: SQLDialect) async throws {
        let path = SampleStore.examples.path + "/coachme/schema.\(dialect == .postgresql ? "postgresql" : "sqlite").sql"
        let script = try String(contentsOfFile: path, encoding: .utf8)
        let table = try #require(
            script.components(separatedBy: "CREATE TABLE auth").dropFirst().first?.components(separatedBy: ");").first)
        let columns = table.split(separator: "\n").dropFirst().compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        try await AuthorityFixture.with(dialect) { fixture in
            let schema = try await Schema.read(from: fixture.fixture.database)
            let name =
                dialect == .postgresql ? TableName(schema: "auth", "users") : TableName(schema: nil, "auth_users")
            let own = try #require(schema[name]).columns.map(\.name)
            #expect(columns.count == 13 && Set(columns).isSubset(of: own))
        }
    }

    @Test(
        "Item 14: a dump of the database holds no token, password, code or key that could be used",
        arguments: SQLDialect.allCases)
    func dump(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let first = try await fixture.person()
            let second = try await fixture.authority.refresh(first.refreshToken, nonce: "a nonce of the client")
            let apple = try await fixture.authority.signIn(
                AuthorityFixture.identityToken("apple", ["sub": "x", "email": nil], code: "one"))
            try await fixture.authority.reauthenticate(try await fixture.caller(second))
            let code = try #require(try await fixture.delivered().last?.code)
            var secrets = [AuthorityFixture.password, "a nonce of the client", "apple-refresh-one"].map { Array($0.utf8) }
            for grant in [first, second, apple] {
                for text in [grant.refreshToken, grant.signOutTicket, grant.accessToken] {
                    secrets.append(Array(text.utf8))
                }
                let bytes = try #require(Base64URL.bytes(grant.refreshToken))
                // The secret part, and the mark that only the key makes.
                secrets += [Array(bytes[25..<57]), Array(bytes[57...])]
                secrets.append(Array(try #require(Base64URL.bytes(grant.signOutTicket))[17...]))
            }
            let snapshot = try await fixture.authority.parts.ring.current()
            secrets += snapshot.keys.values.map(\.privateBytes)
            let tables = try await Schema.read(from: fixture.fixture.database).tables
            #expect(tables.count == 15)
            for table in tables {
                let quoted = dialect.qualified(table.name)
                for row in try await fixture.run("SELECT * FROM \(quoted)").rows {
                    for value in row {
                        let held =
                            if case .bytes(let bytes) = value { Data(bytes) } else { Data((value.text ?? "").utf8) }
                        for secret in secrets { #expect(held.range(of: Data(secret)) == nil, "\(table.name)") }
                        #expect(value.text != code)
                    }
                }
            }
            if dialect == .sqlite {
                for file in ["", "-wal"] {
                    let bytes = FileManager.default.contents(atPath: fixture.fixture.address + file) ?? Data()
                    for secret in secrets { #expect(bytes.range(of: Data(secret)) == nil, "the file\(file)") }
                }
            }
            let lines = Data(fixture.fixture.log.lines.joined().utf8)
            for secret in secrets { #expect(lines.range(of: Data(secret)) == nil) }
        }
    }

    @Test("tokens have at least 128 unpredictable bits: none of ten thousand equals another")
    func entropy() {
        let tokens = (0..<10_000).map { _ in RefreshToken.first(session: UUID(), entropy: .live).hash }
        #expect(Set(tokens).count == 10_000)
        var ones = [Int](repeating: 0, count: 256)
        for token in tokens { for bit in 0..<256 where token[bit / 8] >> (bit % 8) & 1 == 1 { ones[bit] += 1 } }
        // Six standard deviations around the half.
        #expect(ones.allSatisfy { abs($0 - 5000) < 300 })
    }
}
