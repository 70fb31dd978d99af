// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellKeys
import FarewellSQL
import FarewellSessions
import Foundation
import Synchronization
import Testing

/// A session authority on a database of its own, with a clock that the test sets and hashes that cost nothing.
package struct AuthorityFixture: Sendable {
    package let fixture: EngineFixture
    package let work = CountedWork()
    package let partners = SilentPartners()
    package let authority: SessionAuthority

    package var clock: FixtureClock { fixture.clock }

    package static func with(
        _ dialect: SQLDialect, _ edit: @escaping @Sendable (inout AuthoritySettings) -> Void = { _ in },
        _ use: (AuthorityFixture) async throws -> Void
    ) async throws {
        try await EngineFixture.with(dialect, "", postgresql: PostgreSQLConfiguration(maximumConnections: 16, connectionWait: .seconds(60)))
        { fixture in
            try await use(AuthorityFixture(fixture, edit))
        }
    }

    private init(_ fixture: EngineFixture, _ edit: (inout AuthoritySettings) -> Void) async throws {
        self.fixture = fixture
        authority = try await Self.open(fixture, work, partners, edit)
    }

    /// The authority as another process would open it, or the same one after a restart.
    package func again(
        on other: (any SQLDatabase)? = nil, _ edit: (inout AuthoritySettings) -> Void = { _ in }
    ) async throws -> SessionAuthority {
        try await Self.open(fixture, work, partners, on: other, edit)
    }

    private static func open(
        _ fixture: EngineFixture, _ work: CountedWork, _ partners: SilentPartners, on other: (any SQLDatabase)? = nil,
        _ edit: (inout AuthoritySettings) -> Void
    ) async throws -> SessionAuthority {
        var settings = AuthoritySettings(issuer: "https://auth.example.org/auth/v1")
        settings.passwordCost = ScryptCost(logN: 2, blockSize: 1, parallelism: 1)
        settings.identityProviders = [.apple(clientIDs: ["org.example.app"]), .google(clientIDs: ["web"])]
        settings.anonymousSignUp = .allowed
        settings.feedPoll = .milliseconds(50)
        edit(&settings)
        return try await SessionAuthority.open(
            other ?? fixture.database, settings: settings, state: fixture.state,
            partners: AuthorityPartners(identityTokens: partners, authorizationCodes: partners, mail: partners),
            environment: fixture.environment(), work: work.work, entropy: .live)
    }

    package static let password = "correct horse battery"

    /// Signs a user up.
    @discardableResult
    package func person(_ name: String = "anna", device: SessionDevice = SessionDevice()) async throws -> SessionGrant {
        let request = SignUpRequest(email: "\(name)@example.org", password: Self.password)
        guard case .session(let grant) = try await authority.signUp(request, device: device) else {
            throw FarewellError("test.no-session", .ours, "No user was signed in.")
        }
        return grant
    }

    package func signIn(_ name: String = "anna", device: SessionDevice = SessionDevice()) async throws -> SessionGrant {
        try await authority.signIn(email: "\(name)@example.org", password: Self.password, device: device)
    }

    package func caller(_ grant: SessionGrant) async throws -> Caller { try await authority.authenticate(grant.accessToken) }

    /// Delivers what is due, and answers the mails of it.
    package func delivered() async throws -> [Mail] {
        let before = partners.sent.count
        try await authority.deliverMail(by: partners)
        return Array(partners.sent.dropFirst(before))
    }

    package static func identityToken(
        _ provider: String = "apple", _ change: [String: String?] = [:], nonce: String? = nil, code: String? = nil
    ) -> IdentityTokenRequest {
        var members = [
            "iss": provider == "apple" ? "https://appleid.apple.com" : "https://accounts.google.com", "sub": "001.abc",
            "aud": provider == "apple" ? "org.example.app" : "web", "email": "anna@example.org", "verified": "yes",
        ]
        for (name, value) in change { members[name] = value }
        let token = (try? CanonicalJSON.data(members)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return IdentityTokenRequest(provider: provider, token: token, nonce: nonce, authorizationCode: code)
    }

    package func table(_ name: String) -> String { fixture.dialect.authorityTable(name) }

    package func run(_ text: String, _ values: SQLValue...) async throws -> SQLResult {
        try await fixture.database.withConnection { try await $0.run(SQLStatement(text, values)) }
    }

    package func count(_ table: String) async throws -> Int64 {
        try await run("SELECT count(*) FROM \(self.table(table))").scalar?.integer ?? -1
    }
}

/// The code of the refusal that `body` ends with, without its `auth.`; `nil` when it ends well.
package func refusal(_ body: () async throws -> Void) async -> String? {
    do {
        try await body()
        return nil
    } catch let error as FarewellError {
        return AuthorityRefusal(error.code)?.rawValue ?? error.code.rawValue
    } catch {
        return "\(error)"
    }
}

/// Hashes at no cost, and counts.
package final class CountedWork: Sendable {
    private let counts = Mutex<[String: Int]>([:])
    private let costs = Mutex<[Int]>([])
    private let scryptCosts = Mutex<[Int]>([])

    package init() {}

    package var work: PasswordWork {
        PasswordWork(
            scrypt: { password, salt, cost in
                self.count("scrypt")
                self.scryptCosts.withLock { $0.append(cost.logN) }
                return Array(SHA256.hash(data: password + salt + [UInt8(cost.logN)]))
            },
            bcrypt: { password, setting in
                self.count("bcrypt")
                self.costs.withLock { $0.append(Int(setting.dropFirst(4).prefix(2)) ?? 0) }
                return try PasswordWork.live.bcrypt(password, setting)
            })
    }

    /// The acts since the last call.
    package func taken() -> [String: Int] {
        counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
    }

    /// The logarithms of the costs at which scrypt ran since the last look.
    package func takenScryptCosts() -> [Int] {
        scryptCosts.withLock { costs in
            defer { costs = [] }
            return costs
        }
    }

    /// The costs at which bcrypt ran since the last look.
    package func takenCosts() -> [Int] {
        costs.withLock { costs in
            defer { costs = [] }
            return costs
        }
    }

    private func count(_ what: String) { counts.withLock { $0[what, default: 0] += 1 } }
}

/// Partners that believe everything: a token is JSON that says what it says; codes and mails are kept.
package final class SilentPartners: IdentityTokenVerifying, AuthorizationCodeExchanging, MailSending {
    private let mails = Mutex<[Mail]>([])
    private let refusals = Mutex(0)

    package init() {}

    package var sent: [Mail] { mails.withLock { $0 } }

    /// The next so many mails are not taken.
    package func refuse(_ count: Int) { refusals.withLock { $0 = count } }

    package func verify(_ token: String, provider: IdentityProvider) async throws -> IdentityClaims {
        if token == "unreachable" { throw FarewellError("test.unreachable", .tryAgain, "The provider does not answer.") }
        if token == "for others" { throw UnacceptableAudience(["one", "two"]) }
        let members = try JSONDecoder().decode([String: String].self, from: Data(token.utf8))
        return IdentityClaims(
            issuer: members["iss"] ?? "", subject: members["sub"] ?? "", audience: [members["aud"] ?? ""],
            nonce: members["nonce"], email: members["email"], isEmailVerified: members["verified"] == "yes",
            name: members["name"],
            issuedAt: members["iat"].flatMap(TimeInterval.init).map(Date.init(timeIntervalSince1970:)))
    }

    package func refreshToken(for code: String, provider: IdentityProvider, clientID: String) async throws -> String? {
        if code == "refused" { throw FarewellError("test.refused", .yoursToFix, "The code is no good.") }
        return "apple-refresh-\(code)"
    }

    package func send(_ mail: Mail) async throws {
        let isRefused = refusals.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
        if isRefused { throw FarewellError("test.refused", .tryAgain, "Not now.") }
        mails.withLock { $0.append(mail) }
    }
}
