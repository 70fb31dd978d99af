// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import NIOHTTP1
import Subprocess
import Testing

@Suite("Signing keys, managed by the command while a server runs")
struct ServerKeyTests {
    @Test("help names the actions on keys, each with examples")
    func help() async throws {
        try await ServerPlace.with(.sqlite) { place in
            for words in [["keys"], ["keys", "list"], ["keys", "rotate"], ["keys", "remove"]] {
                let help = try await place.call(words + ["--help"])
                #expect(help.status == 0 && help.output.contains("  farewell " + words.joined(separator: " ")), "\(help)")
                #expect(help.output.contains("farewell --help lists every exit status."), "\(help)")
            }
        }
    }

    @Test(
        "Item 13: a key rotated by the command while a server runs is published at once, signs in ten minutes; the old token is valid",
        arguments: SQLDialect.allCases)
    func rotated(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { server in
                let before = try await server.person()
                let old = try kid(before.access)
                #expect(try await place.keys().map(\.kid) == [old])
                let end = try await place.call(["keys", "rotate", "--json"])
                let new = try #require(end.objects.first?["made"] as? String, "\(end)")
                #expect(end.status == 0 && new != old, "\(end)")
                #expect(try await server.kids() == [new, old])
                #expect(try kid(try await server.signIn(before.email).access) == old)
                let coming = try await place.keys()
                #expect(coming.map(\.kid) == [new, old] && coming.map(\.state) == ["coming", "signing"])
                let (made, from) = (try #require(coming.first?.made), try #require(coming.first?.from))
                #expect(abs(from.timeIntervalSince(made) - 600) < 0.01)

                try await place.letSign(new)
                let after = try await server.signIn(before.email)
                #expect(try kid(after.access) == new)
                for session in [before, after] { #expect(try await server.isAccepted(session.access)) }
                let former = try #require(try await place.keys().last)
                #expect(former.kid == old && former.state == "verifying" && former.until != nil)

                let words = try await place.call(["keys", "list"])
                #expect(words.output.contains("signs now") && words.output.contains("still verifies until"), "\(words)")
                #expect(words.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(words)")
                let secret = [
                    "FAREWELL_TOKENS_ALGORITHM": "HS256", "FAREWELL_TOKENS_SECRET": String(repeating: "s", count: 32),
                ]
                let refused = try await place.call(["keys", "rotate"], environment: secret)
                #expect(refused.status == 2 && refused.errors.contains("shared secret"), "\(refused)")
            }
        }
    }

    @Test(
        "Item 13: after the command removes a key, a running server refuses its tokens at once, and signs no user out",
        arguments: SQLDialect.allCases)
    func removed(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { server in
                let mine = try await server.person()
                let stolen = try kid(mine.access)
                #expect(try await server.isAccepted(mine.access))
                let unasked = try await place.call(["keys", "remove", "--id", stolen])
                #expect(unasked.status == 2 && unasked.errors.contains("--yes"), "\(unasked)")
                #expect(try await server.isAccepted(mine.access))

                let end = try await place.call(["keys", "remove", "--id", stolen, "--yes", "--json"])
                #expect(end.status == 0 && end.objects.first?["removed"] as? String == stolen, "\(end)")
                #expect(try await !server.isAccepted(mine.access))
                let left = try await place.keys()
                #expect(left.map(\.state) == ["signing"] && left.first?.kid != stolen)
                #expect(try await server.kids() == left.map(\.kid))
                let renewed = try await server.refresh(mine.refresh)
                let access = try #require(renewed.json["access_token"] as? String, "\(renewed)")
                #expect(try kid(access) == left.first?.kid)
                #expect(try await server.isAccepted(access))

                for unknown in [stolen, "-h", "-no-such_key"] {
                    let end = try await place.call(["keys", "remove", "--id", unknown, "--yes"])
                    #expect(end.status == 2 && end.errors.contains("no signing key with this identifier"), "\(end)")
                }
                #expect(try await place.keys().map(\.kid) == left.map(\.kid))

                // An older one that still verifies does not sign again where the one after it is removed.
                let rotated = try await place.call(["keys", "rotate", "--json"])
                let newer = try #require(rotated.objects.first?["made"] as? String, "\(rotated)")
                try await place.letSign(newer)
                let second = try await place.call(["keys", "remove", "--id", newer, "--yes", "--json"])
                #expect(second.status == 0, "\(second)")
                let now = try await place.keys()
                #expect(now.map(\.state) == ["signing", "verifying"] && now.last?.kid == left.first?.kid && now.first?.kid != newer)
                #expect(try kid(try await server.signIn(mine.email).access) == now.first?.kid)
                #expect(try await server.isAccepted(access))
            }
        }
    }

    @Test("Item 13: a shared secret is replaced with an overlap, and a former one ends when the settings no longer name it")
    func sharedSecret() async throws {
        try await ServerPlace.with(.sqlite) { place in
            for name in ["old", "new"] {
                try Data(String(repeating: name, count: 16).utf8).writeSecret(to: place.folder.appendingPathComponent(name + ".key"))
            }
            let settings = { (secrets: String) in ServerPlace.generous + "tokens: {algorithm: HS256, \(secrets)}\n" }
            let sessions = Guarded<[SignedIn]>([])
            try await place.serving(settings("secret-file: old.key")) { server in
                let before = try await server.person()
                #expect(try await server.isAccepted(before.access))
                sessions.withLock { $0.append(before) }
            }
            try await place.serving(settings("secret-file: new.key, former-secret-files: [old.key]")) { server in
                let before = try #require(sessions.withLock { $0.first })
                #expect(try await server.isAccepted(before.access))
                let after = try await server.signIn(before.email)
                #expect(try await server.isAccepted(after.access))
                sessions.withLock { $0.append(after) }
            }
            try await place.serving(settings("secret-file: new.key")) { server in
                let before = try #require(sessions.withLock { $0.first })
                let after = try #require(sessions.withLock { $0.last })
                #expect(try await !server.isAccepted(before.access))
                #expect(try await server.isAccepted(after.access), "the present secret signed it")
                #expect(try await server.refresh(before.refresh).status == 200, "no user is signed out")
            }
        }
    }

    @Test("the operator must type the identifier, and any other text removes nothing")
    func confirmation() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving { server in
                let mine = try await server.person()
                let remove = ["keys", "remove", "--id", try kid(mine.access)]
                let refused = try await place.onTerminal(remove, typing: "yes\n")
                #expect(refused.status == 2 && refused.output.contains("Nothing was removed"), "\(refused)")
                #expect(try await server.isAccepted(mine.access))
                let agreed = try await place.onTerminal(remove, typing: try kid(mine.access) + "\n")
                #expect(agreed.status == 0 && agreed.output.contains("is removed"), "\(agreed)")
                #expect(try await !server.isAccepted(mine.access))
            }
        }
    }

    @Test("without an earlier server there are no keys to manage, and none are created", arguments: SQLDialect.allCases)
    func nothingThere(_ dialect: SQLDialect) async throws {
        let calls = [["keys", "list"], ["keys", "rotate"], ["keys", "remove", "--id", "x", "--yes"]]
        try await ServerPlace.with(dialect) { place in
            for words in calls {
                let end = try await place.call(words)
                #expect(end.status == 2 && end.errors.contains("no state directory"), "\(end)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path).isEmpty)
            }
            _ = try KeyStore.prepared(in: StateDirectory.prepared(at: place.state.path), now: { Date() })
            let database = try openDatabase(place.address, sqlite: SQLiteConfiguration(access: .createIfMissing))
            _ = try await database.withConnection { try await $0.run("CREATE TABLE somebody_elses (id integer)") }
            for words in calls {
                let end = try await place.call(words + ["--json"])
                #expect(end.status == 2 && end.errors.contains("tables are not in this database"), "\(end)")
                let error = try #require(end.objects.first?["error"] as? [String: Any], "\(end)")
                #expect(error["code"] as? String == "authority.missing")
            }
            #expect(try await Schema.read(from: database).tables.map(\.name.name) == ["somebody_elses"])
            await database.close()
        }
    }

    /// The name of the key that signed a token.
    private func kid(_ token: String) throws -> String {
        let header = try #require(token.split(separator: ".").first.flatMap { Base64URL.bytes($0) })
        return try #require(try JSONDecoder().decode([String: String].self, from: Data(header))["kid"])
    }
}

/// A key as `farewell keys list --json` tells it, which is all that it tells.
private struct ListedKey {
    let kid: String
    let state: String
    let made: Date
    let from: Date
    let until: Date?

    init(_ members: [String: Any]) throws {
        let names: Set = ["kid", "algorithm", "state", "madeAt", "signsFrom", "verifiesUntil"]
        #expect(names.isSuperset(of: members.keys), "\(members.keys)")
        kid = try #require(members["kid"] as? String)
        state = try #require(members["state"] as? String)
        made = try #require((members["madeAt"] as? String).flatMap(UTCTime.date))
        from = try #require((members["signsFrom"] as? String).flatMap(UTCTime.date))
        until = (members["verifiesUntil"] as? String).flatMap(UTCTime.date)
    }
}

extension RunningServer {
    /// The names of the keys that are published, newest first.
    fileprivate func kids() async throws -> [String] {
        let answer = try await ask(.GET, "/auth/v1/.well-known/jwks.json")
        return try #require(answer.json["keys"] as? [[String: Any]], "\(answer)").compactMap { $0["kid"] as? String }
    }
}

extension ServerPlace {
    fileprivate func keys() async throws -> [ListedKey] {
        let end = try await call(["keys", "list", "--json"])
        let list = try JSONSerialization.jsonObject(with: Data(end.output.utf8)) as? [[String: Any]]
        return try #require(list, "\(end)").map(ListedKey.init)
    }

    /// Moves the time from which a key signs to now, because the clocks of other processes cannot be set.
    fileprivate func letSign(_ kid: String) async throws {
        let tables = dialect == .postgresql ? "auth." : "auth_"
        let database = try openDatabase(address)
        try await database.transaction { connection in
            try await connection.run("UPDATE \(tables)signing_key_version SET version = version + 1")
            try await connection.run(
                "UPDATE \(tables)signing_keys SET active_from = $1 WHERE id = $2", .timestamp(Date()), .text(kid))
        }
        await database.close()
    }

    /// Calls the command on a terminal of its own, typing `input`.
    fileprivate func onTerminal(_ arguments: [String], typing input: String) async throws -> CommandEnd {
        var configuration = configuration([], ["TERM": "xterm-256color"])
        let words = [TestBinary.path("farewell")] + arguments
        configuration.executable = .name("script")
        configuration.arguments = ["-qec", words.joined(separator: " "), "/dev/null"]
        let result = try await Subprocess.run(
            configuration, input: .string(input), output: .string(limit: 1 << 22), error: .string(limit: 1 << 22))
        return CommandEnd(
            status: CommandPlace.status(result.terminationStatus), output: result.standardOutput,
            errors: result.standardError)
    }
}
