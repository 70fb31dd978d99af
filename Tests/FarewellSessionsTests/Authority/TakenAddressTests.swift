// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Answers that could reveal a taken address")
struct TakenAddressTests {
    private func nobody(_ fixture: AuthorityFixture) async throws -> Caller {
        guard case .session(let grant) = try await fixture.authority.signUp(SignUpRequest()) else {
            throw FarewellError("test.no-session", .ours, "No session.")
        }
        return try await fixture.caller(grant)
    }

    /// A caller's view of a user, without values that differ for every user.
    private func seen(_ user: User, without words: String...) throws -> [String: JSONValue] {
        var text = String(decoding: try JSONEncoder().encode(user), as: UTF8.self)
        for word in words { text = text.replacing(word, with: "*") }
        for identity in user.identities { text = text.replacing(identity.id.text, with: "*").replacing(identity.id.uuidString, with: "*") }
        text = text.replacing(user.id.text, with: "*").replacing(user.id.uuidString, with: "*")
        return try JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))
    }

    @Test(
        "SC-3 SRV-05 a change to a new address gets the same answer whether or not it is taken, even in an anonymous session",
        arguments: SQLDialect.allCases, EmailConfirmation.allCases)
    func change(dialect: SQLDialect, confirmation: EmailConfirmation) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let berta = try await fixture.person("berta")
            let authority = try await fixture.again { $0.emailConfirmation = confirmation }
            for hasAddress in [false, true] {
                for password in [nil, "another password"] {
                    var callers: [Caller] = []
                    for name in ["one", "two"] {
                        let name = "\(name)\(password == nil ? "" : "-more")"
                        guard hasAddress else { callers.append(try await nobody(fixture)); continue }
                        callers.append(try await fixture.caller(try await fixture.person(name)))
                    }
                    let before = try await fixture.authority.user(callers[0].user.id)
                    fixture.clock.now += 601
                    let taken = UserChange(email: "Berta@example.org", password: password)
                    let free = UserChange(email: "free-\(hasAddress)-\(password == nil)@example.org", password: password)
                    let answers = [try await authority.update(callers[0], taken), try await authority.update(callers[1], free)]
                    let bare = try [
                        seen(answers[0], without: "berta@example.org", before.email ?? "nobody@"),
                        seen(answers[1], without: free.email ?? "nobody@", callers[1].user.email ?? "nobody@"),
                    ]
                    #expect(bare[0] == bare[1])
                    try await authority.deliverMail(by: fixture.partners)
                    #expect(!fixture.partners.sent.contains { $0.address == "berta@example.org" })
                    let after = try await fixture.authority.user(callers[0].user.id)
                    #expect(after.email == before.email && after.isAnonymous == before.isAnonymous, "nothing changes")
                    if confirmation == .required {
                        // Asked again, both still look the same: both wait, and a mail is said to have gone out.
                        let other = try await fixture.authority.user(callers[1].user.id)
                        #expect(after.newEmail == "berta@example.org" && other.newEmail == free.email)
                        #expect((after.emailChangeSentAt == nil) == (other.emailChangeSentAt == nil) && after.emailChangeSentAt != nil)
                    }
                }
            }
            #expect(try await fixture.authority.user(berta.user.id).email == "berta@example.org")
            _ = try await fixture.signIn("berta")
        }
    }

    @Test("SC-3 SRV-05 an address that another user takes meanwhile is confirmed to no one", arguments: SQLDialect.allCases)
    func meanwhile(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let grant = try await fixture.person()
            let authority = try await fixture.again { $0.emailConfirmation = .required }
            let caller = try await authority.authenticate(grant.accessToken)
            _ = try await authority.update(caller, UserChange(email: "berta@example.org"))
            try await fixture.person("berta")
            try await authority.deliverMail(by: fixture.partners)
            #expect(fixture.partners.sent.isEmpty)
            fixture.clock.now += 61
            try await authority.sendCode(.emailChange, to: "berta@example.org")
            try await authority.deliverMail(by: fixture.partners)
            #expect(fixture.partners.sent.isEmpty)
        }
    }

    @Test(
        "SC-3 of two users who confirm the same address at once one gets it, and the other one email_exists",
        arguments: SQLDialect.allCases)
    func atOnce(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let grants = [try await fixture.person(), try await fixture.person("carla")]
            let authority = try await fixture.again { $0.emailConfirmation = .required }
            for round in 0..<4 {
                for grant in grants {
                    let caller = try await authority.authenticate(grant.accessToken)
                    _ = try await authority.update(caller, UserChange(email: "new\(round)@example.org"))
                }
                try await authority.deliverMail(by: fixture.partners)
                let mails = fixture.partners.sent.filter { $0.address == "new\(round)@example.org" }
                try #require(mails.count == 2)
                let ends = await withTaskGroup(of: String.self) { group in
                    for mail in mails {
                        group.addTask {
                            await refusal { _ = try await authority.signIn(.emailChange, by: .token(mail.token)) } ?? "signed in"
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(ends.sorted() == ["email_exists", "signed in"])
                fixture.clock.now += 600
            }
        }
    }

    @Test("a key of the database that another user's address or number breaks is refused by its own code")
    func codes() {
        let broken = { (name: String) in FarewellError("sql.23505", .yoursToFix, "A key already exists (\(name)).") }
        #expect(AuthorityRefusal.ofTakenName(broken("users_email_partial_key")) == .emailExists)
        #expect(AuthorityRefusal.ofTakenName(broken("auth_users.phone")) == .phoneExists)
        #expect(AuthorityRefusal.ofTakenName(FarewellError("sql.23503", .yoursToFix, "A row refers to it.")) == nil)
    }

    @Test(
        "BX-5 a new address is withdrawn when its link is refused because another user has it, and after a day without confirmation",
        arguments: SQLDialect.allCases)
    func withdrawn(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let grants = [try await fixture.person(), try await fixture.person("carla")]
            let authority = try await fixture.again { $0.emailConfirmation = .required }
            for (grant, name) in zip(grants, ["berta", "dora"]) {
                let caller = try await authority.authenticate(grant.accessToken)
                _ = try await authority.update(caller, UserChange(email: "\(name)@example.org"))
            }
            try await authority.deliverMail(by: fixture.partners)
            let mail = try #require(fixture.partners.sent.first { $0.address == "berta@example.org" })
            try await fixture.person("berta")
            #expect(await refusal { _ = try await authority.signIn(.emailChange, by: .token(mail.token)) } == "email_exists")
            func pending() async throws -> [String?] {
                [try await authority.user(grants[0].user.id).newEmail, try await authority.user(grants[1].user.id).newEmail]
            }
            #expect(try await pending() == [nil, "dora@example.org"])
            #expect(try await authority.user(grants[0].user.id).email == "anna@example.org")
            fixture.clock.now += 86_300
            try await authority.prune()
            #expect(try await pending() == [nil, "dora@example.org"])
            fixture.clock.now += 200
            try await authority.prune()
            #expect(try await pending() == [nil, nil])
        }
    }
}
