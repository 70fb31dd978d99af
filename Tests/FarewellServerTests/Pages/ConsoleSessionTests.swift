// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellServer
import FarewellSQL
@testable import FarewellSessions
import Foundation
import HTTPTypes
import Testing

@Suite("Sessions of the console")
struct ConsoleSessionTests {
    private static let cookie = "__Host-farewell-console"

    private static func signedIn(_ mount: ErasureMount) async throws -> MountedBrowser {
        var browser = MountedBrowser(mount: mount)
        _ = try await browser.open("/console")
        let answer = try await browser.send("/console/sign-in", ["token": ErasureMount.operatorToken])
        try #require(answer.status == 303 && browser.cookies[cookie] != nil, "\(answer)")
        #expect(try await browser.sees())
        return browser
    }

    private static func rows(_ mount: ErasureMount, _ statement: String) async throws -> [[SQLValue]] {
        try await mount.database.withConnection { try await $0.run(SQLStatement(statement)).rows }
    }

    @Test("SC-4 SRV-04 a console sign-in is a stored session: kept as a hash, ended by sign-out, and useless after that")
    func signsOut() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            var browser = try await Self.signedIn(mount)
            let kept = try #require(browser.cookies[Self.cookie])
            #expect(Base64URL.bytes(kept)?.count == 32)
            let rows = try await Self.rows(mount, "SELECT * FROM auth_console_sessions")
            #expect(rows.count == 1 && !"\(rows)".contains(kept) && !"\(rows)".contains(ErasureMount.operatorToken))
            #expect(rows.first?.contains { $0.bytes == Base64URL.bytes(kept) } == false)

            _ = try await browser.open("/console")
            #expect(try await browser.send("/console/sign-out", [:]).status == 303)
            #expect(browser.cookies[Self.cookie] == nil)
            #expect(try await Self.rows(mount, "SELECT * FROM auth_console_sessions").isEmpty)
            var thief = MountedBrowser(mount: mount)
            thief.cookies[Self.cookie] = kept
            #expect(try await !thief.sees(), "what was copied before is worth nothing")
        }
    }

    @Test("SC-4 SRV-04 a session ends at its hour, and no change of the cookie makes another one")
    func ends() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            var browser = try await Self.signedIn(mount)
            let kept = try #require(browser.cookies[Self.cookie])
            let wrongs = [
                "", kept + "A", "A" + kept, String(kept.dropLast()), kept.uppercased(), kept + ".operate", kept + "=",
                String(kept.dropLast()) + (kept.last == "A" ? "B" : "A"), "4102444800.operate.x.y.\(kept)",
            ]
            for wrong in wrongs {
                var forger = MountedBrowser(mount: mount)
                forger.cookies[Self.cookie] = wrong
                #expect(try await !forger.sees(), "\(wrong)")
            }
            let ends = try await Self.rows(mount, "SELECT began_at, ends_at FROM auth_console_sessions")
            for row in ends {
                var reader = RowReader(row)
                let began = try reader.requiredDate()
                let ended = try reader.requiredDate()
                #expect(abs(ended.timeIntervalSince(began) - 3600) < 1)
            }
            _ = try await Self.rows(mount, "UPDATE auth_console_sessions SET ends_at = '2000-01-01T00:00:00.000000Z'")
            #expect(try await !browser.sees())
            try await mount.server.authority.prune()
            #expect(try await Self.rows(mount, "SELECT id FROM auth_console_sessions").isEmpty)
        }
    }

    @Test("SC-4 an operator ends one session of the console, and all of them; a read-only operator ends none")
    func ended() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            var mine = try await Self.signedIn(mount)
            var other = MountedBrowser(mount: mount)
            other.cookies[Self.cookie] = try await mount.consoleCookie("aa", role: .looks)
            let page = try await mine.open("/console/sessions")
            let shown = page.text.matches(of: #/name="session" value="([0-9a-f-]{36})"/#).map { String($0.1) }
            #expect(shown.count == 1, "of one's own there is no button: \(page)")
            let seen = try await other.open("/console/sessions")
            #expect(seen.text.contains("Sessions of the console") && !seen.text.contains("action=\"/console/sessions/"))
            let own = try await mount.server.authority.consoleSessions(provider: nil).first { $0.name != "aa" }
            #expect(try await other.send("/console/sessions/end", ["session": own?.id.text ?? ""]).status == 403)
            #expect(try await other.send("/console/sessions/end-all", [:]).status == 403)

            for nonsense in ["", "x", UUID().text] {
                #expect(try await mine.send("/console/sessions/end", ["session": nonsense]).status == 303)
            }
            #expect(try await mine.send("/console/sessions/end", ["session": shown.first ?? ""]).status == 303)
            let (otherSees, mineSees) = (try await other.sees(), try await mine.sees())
            #expect(!otherSees && mineSees)
            let third = try await mount.consoleCookie("bb", role: .operates)
            _ = try await mine.open("/console/sessions")
            #expect(try await mine.send("/console/sessions/end-all", [:]).status == 303)
            for cookie in [third, mine.cookies[Self.cookie]] {
                var browser = MountedBrowser(mount: mount)
                browser.cookies[Self.cookie] = cookie
                #expect(try await !browser.sees())
            }
            let acts = try await Self.rows(mount, "SELECT entry FROM farewell_audit WHERE entry LIKE '%console.session%'")
            #expect(acts.count == 2 && acts.first?.first?.text?.contains(#""operator":"aa""#) == true, "\(acts)")
        }
    }

    @Test("SC-4 an operator is signed out once their key, role, provider or session is removed")
    func removed() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            let authority = mount.server.authority
            let provider = ["https://id.example", "console", "roles", "0", "op"]
            let byProvider = try await authority.beginConsoleSession("cc", role: "operate", authority.consoleEntry(byProvider: provider))
            let byKey = try await mount.consoleCookie("aa", role: .operates)
            #expect(try await authority.consoleSession(byProvider, provider: provider) != nil)
            #expect(try await authority.consoleSession(byKey, provider: nil) != nil)
            for other in [nil, [], ["https://id.example", "console", "roles", "1", "op"], Array(provider.dropLast())] as [[String]?] {
                #expect(try await authority.consoleSession(byProvider, provider: other) == nil)
                #expect(try await authority.consoleSessions(provider: other).map(\.name) == ["aa"])
            }
            var settings = authority.settings
            settings.sharedSecrets = [try FarewellSessions.SharedSecret("another secret of the operators, as long")]
            #expect(try await authority.with(settings).consoleSession(byKey, provider: nil) == nil, "the key is gone")
            settings = authority.settings
            settings.administratorRoles = ["somebody_else"]
            #expect(try await authority.with(settings).consoleSession(byKey, provider: nil) == nil, "the role is gone")
            #expect(try await authority.with(authority.settings).consoleSession(byKey, provider: nil) != nil)

            let session = try await Self.administrator(mount)
            let entry = try await authority.consoleEntry(byToken: session.accessToken).entry
            let byPerson = try await authority.beginConsoleSession("dd", role: "operate", entry)
            #expect(try await authority.consoleSession(byPerson, provider: nil) != nil)
            try await authority.signOut(try await authority.authenticate(session.accessToken), scope: .local)
            #expect(try await authority.consoleSession(byPerson, provider: nil) == nil, "the session of the token is over")
        }
    }

    @Test("SC-4 an operator whose role is withdrawn administers no user, even with existing tokens and sessions")
    func demoted() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            let authority = mount.server.authority
            let grant = try await Self.administrator(mount)
            let entry = try await authority.consoleEntry(byToken: grant.accessToken).entry
            let console = try await authority.beginConsoleSession("dd", role: "operate", entry)
            #expect(try await authority.consoleSession(console, provider: nil) != nil)
            var change = AdministratorChange()
            change.role = "authenticated"
            _ = try await authority.updateUser(grant.user.id, change)
            #expect(try await authority.consoleSession(console, provider: nil) == nil)
            await #expect(throws: FarewellError.self) { try await authority.administrator(grant.accessToken) }
            await #expect(throws: FarewellError.self) { try await authority.consoleEntry(byToken: grant.accessToken) }
            _ = try await authority.authenticate(grant.accessToken)
        }
    }

    @Test("SC-4 a console session lasts no longer than its user's access, also if another program ends that in the database")
    func lostAccess() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            let authority = mount.server.authority
            _ = try await mount.consoleCookie("aa", role: .operates)
            for change in [
                "auth_users SET role = 'authenticated'", "auth_users SET role = NULL",
                "auth_users SET banned_until = '2999-01-01T00:00:00.000000Z'",
                "auth_users SET deleted_at = '2000-01-01T00:00:00.000000Z'",
                "auth_sessions SET not_after = '2000-01-01T00:00:00.000000Z'",
                "auth_sessions SET refreshed_at = '2000-01-01T00:00:00.000000Z'",
            ] {
                let grant = try await Self.administrator(mount)
                let entry = try await authority.consoleEntry(byToken: grant.accessToken).entry
                let console = try await authority.beginConsoleSession("dd", role: "operate", entry)
                #expect(try await authority.consoleSession(console, provider: nil)?.name == "dd")
                _ = try await Self.rows(mount, "UPDATE \(change)")
                #expect(try await authority.consoleSession(console, provider: nil) == nil, "\(change)")
                #expect(try await authority.consoleSessions(provider: nil).map(\.name) == ["aa"], "a key has no user")
            }
        }
    }

    /// A user whose role administers users.
    private static func administrator(_ mount: ErasureMount) async throws -> SessionGrant {
        let person = try await mount.person()
        _ = try await rows(mount, "UPDATE auth_users SET role = 'service_role' WHERE id = '\(person.id)'")
        return try await mount.server.authority.signIn(email: person.email, password: ErasureMount.password)
    }

    @Test("SRV-01 SRV-04 the stored session determines the actor, and a form is valid only in its own browser and session")
    func actor() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            let anna = try await mount.person()
            let id = try await mount.asked(by: anna).id
            var browser = try await Self.signedIn(mount)
            let name = try await mount.server.authority.consoleSessions(provider: nil).first?.name
            let page = try await browser.open("/console/runs/\(id)")
            let form = try #require(page.text.firstMatch(of: #/name="form" value="([^"]+)"/#).map { String($0.1) })
            var other = try await Self.signedIn(mount)
            #expect(try await other.send("/console/hold", ["id": id, "reason": "x", "form": form]).status == 403)
            let held = try await browser.send("/console/hold", ["id": id, "reason": "x"])
            #expect(held.status == 303, "\(held)")
            let acts = try await Self.rows(mount, "SELECT entry FROM farewell_audit WHERE entry LIKE '%erasure.held%'")
            let actor = #""actor":"console:\#(name ?? "nobody")""#
            #expect(acts.count == 1 && acts.first?.first?.text?.contains(actor) == true, "\(acts)")

            // A form of the account's pages is none of the console's, also in the same browser.
            let account = try await browser.open("/account")
            let theirs = try #require(account.text.firstMatch(of: #/name="form" value="([^"]+)"/#).map { String($0.1) })
            #expect(try await browser.send("/console/end-hold", ["id": id, "form": theirs]).status == 403)
        }
    }
}

extension MountedBrowser {
    /// Whether it is shown the console, and not the sign-in.
    fileprivate mutating func sees() async throws -> Bool {
        let answer = try await open("/console")
        return answer.text.contains("id=\"counts\"") && !answer.text.contains("consoleSignIn")
    }
}

extension SessionAuthority {
    /// The same under other settings, as a server that was started anew has it.
    fileprivate func with(_ settings: AuthoritySettings) -> SessionAuthority {
        SessionAuthority(
            AuthorityContext(
                context.database, context.store, context.keys, context.clock, settings, context.environment),
            partners: AuthorityPartners(), work: .live)
    }
}
