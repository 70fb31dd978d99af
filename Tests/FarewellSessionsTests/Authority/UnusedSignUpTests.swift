// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@testable import FarewellKeys
@testable import FarewellSessions

@Suite("An unused sign-up does not reserve its address")
struct UnusedSignUpTests {
    private static let careful: @Sendable (inout AuthoritySettings) -> Void = { $0.emailConfirmation = .required }
    private static let strangers = "a stranger's password"
    private static let wanted = "wanted@example.org"
    private static let home = CallerSource(network: "203.0.113.7", device: "a random secret of Anna's device")

    /// A stranger signs up with another user's address.
    private func squat(_ fixture: AuthorityFixture, _ address: String = wanted) async throws {
        _ = try await fixture.authority.signUp(
            SignUpRequest(email: address, password: Self.strangers, metadata: ["name": "a stranger"]))
        _ = try await fixture.delivered()
    }

    /// A user whose address is confirmed.
    private func person(_ fixture: AuthorityFixture, _ name: String = "anna") async throws -> Caller {
        let address = "\(name)@example.org"
        _ = try await fixture.authority.signUp(SignUpRequest(email: address, password: AuthorityFixture.password), source: Self.home)
        let mail = try #require(try await fixture.delivered().last)
        return try await fixture.caller(
            try await fixture.authority.signIn(.signUp, by: .token(mail.token), source: Self.home))
    }

    private func google(_ fixture: AuthorityFixture, verified: String, _ address: String = wanted) async throws -> User {
        let members = [
            "iss": "https://accounts.google.com", "sub": "vera-\(verified)", "aud": "web", "email": address,
            "verified": verified,
        ]
        let token = String(decoding: try JSONEncoder().encode(members), as: UTF8.self)
        return try await fixture.authority.signIn(IdentityTokenRequest(provider: "google", token: token)).user
    }

    private func holders(_ fixture: AuthorityFixture, _ address: String = wanted) async throws -> [UUID] {
        try await fixture.run("SELECT id FROM \(fixture.table("users")) WHERE email = $1", .text(address)).rows
            .compactMap { $0.first?.identifier }
    }

    private func signIn(_ fixture: AuthorityFixture, _ address: String, _ password: String) async -> String? {
        await refusal { _ = try await fixture.authority.signIn(email: address, password: password) }
    }

    // MARK: Displaced

    @Test(
        "SC-3 a user who changes to the address of a stranger's sign-up gets its mail, and then the address",
        arguments: SQLDialect.allCases, ["wanted@example.org", "wäntèd@example.org"])
    func change(dialect: SQLDialect, address: String) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            let anna = try await person(fixture)
            try await squat(fixture, address)
            _ = try await fixture.authority.update(anna, UserChange(email: address))
            let mail = try #require(try await fixture.delivered().last { $0.purpose == .emailChange })
            let grant = try await fixture.authority.signIn(.emailChange, by: .code(mail.code, email: mail.address))
            #expect(grant.user.id == anna.user.id && grant.user.email == mail.address)
            #expect(try await holders(fixture, mail.address) == [anna.user.id])
            #expect(await signIn(fixture, address, Self.strangers) == "invalid_credentials")
            #expect(await signIn(fixture, address, AuthorityFixture.password) == nil)
            // The stranger's earlier codes are invalid.
            #expect(try await fixture.count("one_time_codes") == 0)
        }
    }

    @Test(
        "SC-3 a provider's user with a verified address displaces a stranger's sign-up; otherwise the address stays",
        arguments: SQLDialect.allCases)
    func identityToken(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            try await squat(fixture)
            let stranger = try await holders(fixture)
            #expect(try await google(fixture, verified: "no").email == nil)
            #expect(try await holders(fixture) == stranger)
            let vera = try await google(fixture, verified: "yes")
            #expect(vera.email == Self.wanted && vera.emailConfirmedAt != nil)
            #expect(try await holders(fixture) == [vera.id])
            #expect(await signIn(fixture, Self.wanted, Self.strangers) == "invalid_credentials")
        }
    }

    @Test("SC-3 an operator's new account with a confirmed address displaces a stranger's sign-up", arguments: SQLDialect.allCases)
    func administrator(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            try await squat(fixture)
            var draft = AdministratorChange()
            draft.email = Self.wanted
            #expect(await refusal { _ = try await fixture.authority.createUser(draft) } == "email_exists")
            draft.confirmsEmail = true
            let made = try await fixture.authority.createUser(draft)
            #expect(try await holders(fixture) == [made.id])
        }
    }

    @Test(
        "SC-3 a sign-up from before the mark yields its address to the user who proves it, and is never deleted for its age",
        arguments: SQLDialect.allCases)
    func fromBefore(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            _ = try await person(fixture)
            try await squat(fixture)
            let stranger = try await holders(fixture)
            // As the sixth version left them: two accounts of operators, one with metadata of the app and one without a mail.
            for (name, metadata) in [("made", [:]), ("gold", ["plan": "gold"])] as [(String, [String: JSONValue])] {
                var draft = AdministratorChange()
                draft.email = "\(name)@example.org"
                draft.password = AuthorityFixture.password
                draft.appMetadata = metadata
                _ = try await fixture.authority.createUser(draft)
            }
            try await fixture.authority.sendCode(.signUp, to: "gold@example.org")
            _ = try await fixture.delivered()
            _ = try await fixture.run("UPDATE \(fixture.table("users")) SET signed_up_at = NULL")
            _ = try await fixture.run("DELETE FROM \(fixture.table("migrations")) WHERE version > 6")
            for table in ["declined_sign_ups", "authorization_codes"] {
                _ = try await fixture.run("DROP TABLE \(fixture.table(table))")
            }
            _ = try await fixture.run("ALTER TABLE \(fixture.table("one_time_codes")) DROP COLUMN challenge_hash")
            _ = try await fixture.run("ALTER TABLE \(fixture.table("signing_key_version")) DROP COLUMN late_removals")
            // SQLite drops no column that an index has.
            let index = dialect.hasSchemas ? "auth.outgoing_mail_domain_hash_idx" : "auth_outgoing_mail_domain_hash_idx"
            _ = try await fixture.run("DROP INDEX \(index)")
            _ = try await fixture.run("ALTER TABLE \(fixture.table("outgoing_mail")) DROP COLUMN domain_hash")
            let upgraded = try await fixture.again(Self.careful)
            let marked = try await fixture.run("SELECT id FROM \(fixture.table("users")) WHERE signed_up_at IS NOT NULL").rows
            #expect(marked.compactMap { $0.first?.identifier } == stranger)
            fixture.clock.now += 400 * 86_400
            try await upgraded.prune()
            #expect(try await holders(fixture) == stranger)
            #expect(try await holders(fixture, "made@example.org").count == 1)
            let vera = try await google(fixture, verified: "yes")
            #expect(vera.email == Self.wanted)
            #expect(try await holders(fixture) == [vera.id])
        }
    }

    // MARK: Not displaced

    /// Accounts with an unconfirmed address that are no unused sign-ups.
    enum Established: CaseIterable, Sendable {
        case made, imported, touchedByOperator, barred, signedInBefore, inSession, fromBefore
    }

    private func establish(_ fixture: AuthorityFixture, _ kind: Established) async throws -> UUID {
        var draft = AdministratorChange()
        let users = fixture.table("users")
        switch kind {
        case .made, .imported:
            draft.email = Self.wanted
            if kind == .made { draft.password = AuthorityFixture.password }
            if kind == .imported {
                draft.passwordHash = "$2b$04$abcdefghijklmnopqrstuuPgGwdOPMUGdWbDrHT3XGEIfv9rWoDhe"
            }
            draft.userMetadata = ["name": "Anna"]
            return try await fixture.authority.createUser(draft).id
        case .touchedByOperator, .barred, .signedInBefore, .inSession, .fromBefore: break
        }
        _ = try await fixture.authority.signUp(
            SignUpRequest(email: Self.wanted, password: AuthorityFixture.password, metadata: ["name": "Anna"]))
        _ = try await fixture.delivered()
        let id = try #require(try await holders(fixture).first)
        switch kind {
        case .touchedByOperator:
            draft.appMetadata = ["plan": "gold"]
            _ = try await fixture.authority.updateUser(id, draft)
        case .barred:
            let later = fixture.clock.now.addingTimeInterval(1_000_000)
            _ = try await fixture.run("UPDATE \(users) SET banned_until = $2 WHERE id = $1", .uuid(id), .timestamp(later))
        case .signedInBefore:
            _ = try await fixture.run("UPDATE \(users) SET last_sign_in_at = $2 WHERE id = $1", .uuid(id), .timestamp(fixture.clock.now))
        case .inSession:
            let careless = try await fixture.again { $0.emailConfirmation = .automatic }
            _ = try await careless.signIn(email: Self.wanted, password: AuthorityFixture.password)
            _ = try await fixture.run("UPDATE \(users) SET last_sign_in_at = NULL WHERE id = $1", .uuid(id))
        case .fromBefore:
            _ = try await fixture.run("UPDATE \(users) SET signed_up_at = NULL WHERE id = $1", .uuid(id))
        case .made, .imported: break
        }
        return id
    }

    @Test(
        "SC-3 an unconfirmed account that an operator made, or that was ever in use, is not displaced, disowned or deleted",
        arguments: SQLDialect.allCases, Established.allCases)
    func established(dialect: SQLDialect, kind: Established) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            let anna = try await person(fixture)
            let id = try await establish(fixture, kind)
            let before = try await fixture.run(
                "SELECT email, encrypted_password, raw_user_meta_data FROM \(fixture.table("users")) WHERE id = $1", .uuid(id)
            ).rows
            // A stranger's sign-up, a change of address, a verified identity and the cleaner.
            _ = try await fixture.authority.signUp(
                SignUpRequest(email: Self.wanted, password: Self.strangers, metadata: ["name": "a stranger"]))
            _ = try await fixture.authority.update(anna, UserChange(email: Self.wanted))
            #expect(try await !fixture.delivered().contains { $0.purpose == .emailChange })
            #expect(try await google(fixture, verified: "yes").email == nil)
            fixture.clock.now += 3 * 86_400
            try await fixture.authority.prune()
            let after = try await fixture.run(
                "SELECT email, encrypted_password, raw_user_meta_data FROM \(fixture.table("users")) WHERE id = $1", .uuid(id)
            ).rows
            #expect(after == before && after.count == 1)
            #expect(try await holders(fixture) == [id])
        }
    }

    // MARK: Expired

    @Test("SC-3 a sign-up that stays unused for a day after its last mail is deleted", arguments: SQLDialect.allCases)
    func expired(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            let anna = try await person(fixture)
            try await squat(fixture)
            fixture.clock.now += 20 * 3_600
            try await fixture.authority.sendCode(.signUp, to: Self.wanted)
            #expect(try await fixture.delivered().count == 1)
            fixture.clock.now += 86_400 - 60
            try await fixture.authority.prune()
            #expect(try await holders(fixture).count == 1, "its last mail is younger")
            fixture.clock.now += 120
            try await fixture.authority.prune()
            #expect(try await holders(fixture).isEmpty)
            let left = try await fixture.run("SELECT id FROM \(fixture.table("users"))").rows
            #expect(left.compactMap { $0.first?.identifier } == [anna.user.id])
        }
    }

    @Test("SC-3 no sign-up is deleted where addresses need no confirmation", arguments: SQLDialect.allCases)
    func automatic(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            try await squat(fixture)
            let careless = try await fixture.again { $0.emailConfirmation = .automatic }
            fixture.clock.now += 3 * 86_400
            try await careless.prune()
            #expect(try await holders(fixture).count == 1)
            _ = try await careless.signIn(email: Self.wanted, password: Self.strangers)
        }
    }

    @Test("SC-3 an expired sign-up that the app's rows reference loses its address and stays", arguments: SQLDialect.allCases)
    func referred(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            let key = dialect == .postgresql ? "uuid" : "text"
            _ = try await fixture.run("CREATE TABLE profiles (owner \(key) NOT NULL REFERENCES \(fixture.table("users")) (id))")
            for name in ["one", "two"] { try await squat(fixture, "\(name)@example.org") }
            let one = try #require(try await holders(fixture, "one@example.org").first)
            _ = try await fixture.run("INSERT INTO profiles (owner) VALUES ($1)", .uuid(one))
            fixture.clock.now += 2 * 86_400
            for _ in 1...2 { try await fixture.authority.prune() }
            let left = try await fixture.run("SELECT id, email, encrypted_password FROM \(fixture.table("users"))").rows
            #expect(left == [[left.first?.first ?? .null, .null, .null]] && left.first?.first?.identifier == one)
            #expect(try await fixture.count("identities") == 0)
        }
    }

    // MARK: Several who want an address

    @Test(
        "SC-3 each of several users who want one new address gets a mail; only the user of the requesting source gets digits",
        arguments: SQLDialect.allCases)
    func wanters(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            let anna = try await person(fixture)
            _ = try await fixture.authority.update(anna, UserChange(email: Self.wanted), source: Self.home)
            for _ in 1...5 {
                guard case .session(let grant) = try await fixture.authority.signUp(SignUpRequest()) else { return }
                _ = await refusal {
                    _ = try await fixture.authority.update(try await fixture.caller(grant), UserChange(email: Self.wanted))
                }
            }
            _ = try await fixture.delivered()
            fixture.clock.now += 601
            try await fixture.authority.sendCode(.emailChange, to: Self.wanted, source: Self.home)
            let mails = try await fixture.delivered()
            #expect(mails.count > 1 && mails.count <= 3, "\(mails.count)")
            #expect(Set(mails.map(\.user.id)).count == mails.count && mails.allSatisfy { $0.address == Self.wanted })
            #expect(mails.filter { !$0.code.isEmpty }.map(\.user.id) == [anna.user.id])
            let mine = try #require(mails.first { $0.user.id == anna.user.id })
            let grant = try await fixture.authority.signIn(
                .emailChange, by: .code(mine.code, email: Self.wanted), source: Self.home)
            #expect(grant.user.email == Self.wanted && grant.user.id == anna.user.id)
            #expect(try await fixture.delivered().filter { $0.purpose == .emailChange }.isEmpty)
        }
    }
}
