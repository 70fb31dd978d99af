// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellKeys
import FarewellSQL
import FarewellSessions
import Foundation
import Logging
import NIOHTTP1
import Testing

/// An app whose people sign in at a real server, with a plan that was derived from the app's own table of people.
struct AccountPlace: Sendable {
    /// How the app's table of people is bound to the accounts.
    enum Binding: String, Sendable, CaseIterable {
        /// Its key is a foreign key to the accounts.
        case foreignKey
        /// It has the accounts' keys, and no foreign key says so.
        case sameKey
        /// The same, in another database than the accounts.
        case otherDatabase
    }

    let binding: Binding
    let place: ServerPlace
    /// Where the app's tables lie.
    let data: String
    let mailbox: Mailbox

    static func with(
        _ dialect: SQLDialect, _ binding: Binding, _ use: (AccountPlace) async throws -> Void
    ) async throws {
        try await ServerPlace.with(dialect) { place in
            guard binding == .otherDatabase else { return try await use(make(place, binding, place.address)) }
            try await ServerPlace.with(dialect) { other in
                let file = place.folder.appendingPathComponent("app.sqlite").path
                try await use(make(place, binding, dialect == .postgresql ? other.address : "sqlite:" + file))
            }
        }
    }

    private static func make(_ place: ServerPlace, _ binding: Binding, _ data: String) async throws -> AccountPlace {
        let made = AccountPlace(
            binding: binding, place: place, data: data, mailbox: try Mailbox(in: place.folder))
        try await made.makeTables()
        let arguments = ["--database", data, "--plan", "plan.yaml"]
        let members = place.dialect == .postgresql ? "public.members.id" : "members.id"
        let draft = try await place.call(["init", "--subject", members] + arguments)
        try #require(draft.status == 0, "\(draft)")
        let check = try await place.call(["check"] + arguments)
        try #require(check.status == 0, "\(check)")
        return made
    }

    private func makeTables() async throws {
        if place.dialect == .sqlite {
            try FileManager.default.createDirectory(
                at: place.state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let accounts = try openDatabase(place.address, sqlite: SQLiteConfiguration(access: .createIfMissing))
        _ = try await SessionAuthority.open(
            accounts, settings: AuthoritySettings(issuer: "https://auth.example/auth/v1"), state: place.state.path,
            environment: .live(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        await accounts.close()
        let key = place.dialect == .postgresql ? "uuid" : "text"
        let reference = binding == .foreignKey ? " REFERENCES \(account("users")) (id) ON DELETE CASCADE" : ""
        for statement in [
            "CREATE TABLE members (id \(key) NOT NULL PRIMARY KEY\(reference), name text)",
            "CREATE TABLE notes (id integer PRIMARY KEY, body text, member \(key) NOT NULL REFERENCES members (id) ON DELETE CASCADE)",
            "CREATE INDEX notes_member ON notes (member)",
        ] { _ = try await run(statement, in: data) }
    }

    func account(_ table: String) -> String { place.dialect == .postgresql ? "auth.\(table)" : "auth_\(table)" }
    var control: String { place.dialect == .postgresql ? "farewell." : "farewell_" }

    /// `more` stands below `erasures:`.
    func settings(_ more: String = "") -> String {
        let database = binding == .otherDatabase ? "database-url: \"\(data)\"\n" : ""
        return ServerPlace.generous
            + "erasures:\n  plan: plan.yaml\n  second-look: 0\n  recent-sign-in: 86400\n  wait: 100\n"
            + (database + more).split(separator: "\n").map { "  \($0)\n" }.joined() + mailbox.settings
    }

    @discardableResult
    func run(_ statement: String, in address: String) async throws -> [[SQLValue]] {
        let database = try openDatabase(address, sqlite: SQLiteConfiguration(access: .createIfMissing))
        let rows = try await database.withConnection { try await $0.run(SQLStatement(statement)).rows }
        await database.close()
        return rows
    }

    // MARK: People

    struct Member: Sendable {
        let id: String
        let device: SignedIn
        /// One that has expired for the access token, and still renews.
        let other: SignedIn
        let code: String
    }

    /// A user with an account, two devices and a mailed code; and rows of the app's, if they have any.
    func member(_ server: RunningServer, notes: Int?) async throws -> Member {
        let device = try await server.person()
        let me = try await server.ask(.GET, "/auth/v1/user", token: device.access)
        let id = try #require(me.json["id"] as? String, "\(me)")
        let other = try await server.signIn(device.email)
        let asked = try await server.ask(.POST, "/auth/v1/recover", json: #"{"email":"\#(device.email)"}"#)
        try #require(asked.status == 200, "\(asked)")
        var code: String?
        try await eventually {
            code = try mail(to: device.email)
            return code != nil
        }
        if let notes {
            try await run("INSERT INTO members VALUES ('\(id)', 'name of \(id)')", in: data)
            try await run(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(notes)) \
                INSERT INTO notes (id, body, member) SELECT i + (SELECT coalesce(max(id), 0) FROM notes), 'a note', \
                \(place.dialect == .postgresql ? "'\(id)'::uuid" : "'\(id)'") FROM n
                """, in: data)
        }
        return Member(id: id, device: device, other: other, code: try #require(code))
    }

    /// The code of the mail to this address, once it has come.
    private func mail(to address: String) throws -> String? {
        for file in try FileManager.default.contentsOfDirectory(atPath: mailbox.folder.path) {
            let text = try String(contentsOf: mailbox.folder.appendingPathComponent(file), encoding: .utf8)
            guard text.contains("To: \(address)\n"), let code = text.firstMatch(of: #/\n +([0-9]{6,10})\n/#) else { continue }
            return String(code.1)
        }
        return nil
    }

    /// Tries all the ways to sign in, and searches for data that lets users in by an identity of theirs.
    func expectOut(_ member: Member, _ server: RunningServer, _ way: String) async throws {
        let (email, way) = (member.device.email, Comment(rawValue: "\(way), \(binding), \(place.dialect)"))
        let password = try await server.ask(
            .POST, "/auth/v1/token?grant_type=password",
            json: #"{"email":"\#(email)","password":"\#(SignedIn.password)"}"#)
        #expect(password.status == 400 && password.code == "invalid_credentials", way)
        for device in [member.device, member.other] {
            #expect(try await server.refresh(device.refresh).status == 400, way)
            #expect(try await !server.isAccepted(device.access), way)
        }
        let code = try await server.ask(
            .POST, "/auth/v1/verify", json: #"{"type":"recovery","email":"\#(email)","token":"\#(member.code)"}"#)
        #expect(code.status == 403 && code.json["access_token"] == nil, way)
        #expect(try await server.ask(.GET, "/auth/v1/admin/users/\(member.id)", token: server.serviceKey()).status == 404, way)
        for table in [
            "identities", "sessions", "one_time_codes", "outgoing_mail", "provider_credentials", "authorization_codes",
        ] {
            let left = try await run(
                "SELECT count(*) FROM \(account(table)) WHERE user_id = '\(member.id)'", in: place.address)
            #expect(left == [[.integer(0)]], way)
        }
        let rows = try await run("SELECT count(*) FROM members WHERE id = '\(member.id)'", in: data)
        #expect(rows == [[.integer(0)]], way)
    }
}
