// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("The example aws: a user of Cognito in five places, a real server, moto and localstripe", .serialized)
struct AccountSystemsTests {
    @Test(
        "SV-1 SV-2 SV-6 AD-8 each system fails in turn: status, body and state are exact, and the repeat completes",
        arguments: SQLDialect.allCases)
    func oneByOne(_ dialect: SQLDialect) async throws {
        try await AccountsPlace.with(dialect) { app in
            try await app.serving { server in
                for (number, failing) in AccountsPlace.doors.enumerated() {
                    // On the two databases together each fails under each contract.
                    let isFunction = (number % 2 == 0) == (dialect == .sqlite)
                    let name = "ada-\(dialect.rawValue)-\(number)"
                    try await leave(name, failing, app, server, isFunction ? .function : .account)
                }
            }
        }
    }

    private enum Contract { case account, function }

    private func leave(
        _ name: String, _ failing: String, _ app: AccountsPlace, _ server: RunningServer, _ contract: Contract
    ) async throws {
        let peer = app.peer
        let person = try await app.settle(name)
        let before = try await peer.census(person)
        #expect(Set(before.own.keys) == Set(AccountsPlace.doors))
        try await peer.shut(failing, 403)
        let failed = try await ask(server, contract, person.token)
        try await peer.shut(failing, 0)
        #expect(failed.status == 500, "\(failing): \(failed)")

        // The sign-in system is last: until the others are done the user can sign in and ask again.
        let after = try await peer.census(person)
        #expect(after.own == before.own.filter { $0.key == failing || $0.key == "cognito" }, "\(failing)")
        #expect(after.others == before.others, "\(failing): a neighbour changed")
        #expect(try await app.rows(of: person) == (failing == "cognito" ? 0 : 1), "\(failing)")
        _ = try await peer.ask(.POST, "/sign-in/\(name)")
        let told = Dictionary(
            uniqueKeysWithValues: AccountsPlace.told.map { ($0, $0 != failing && $0 != "cognito") })
        switch contract {
        case .account:
            #expect(
                Self.isSame(failed, ["success": false, "error": "Failed to delete user account", "details": told]),
                "\(failing): \(failed)")
        case .function:
            let error = failed.json["error"] as? [String: Any]
            #expect(error?["code"] as? String == "erasure.needs-attention", "\(failed)")
            #expect((error?["message"] as? String)?.contains("sorry") == true, "\(failed)")
        }

        // Asked again, and once more when nothing is left: the answer is the same.
        for _ in 1...2 {
            let done = try await ask(server, contract, person.token)
            #expect(done.status == 200, "\(failing): \(done)")
            switch contract {
            case .account:
                let all = Dictionary(uniqueKeysWithValues: AccountsPlace.told.map { ($0, true) })
                #expect(
                    Self.isSame(done, ["success": true, "message": "User account deleted successfully", "deleted": all]),
                    "\(failing): \(done)")
            case .function: #expect(Self.isSame(done, ["data": ["success": true]]), "\(failing): \(done)")
            }
        }
        let end = try await peer.census(person)
        #expect(end == .init(own: [:], others: before.others), "\(failing): \(end)")
        #expect(try await app.rows(of: person) == 0)
        await #expect(throws: FarewellError.self, "no deleted user signs in") {
            try await peer.ask(.POST, "/sign-in/\(name)")
        }
    }

    private func ask(_ server: RunningServer, _ contract: Contract, _ token: String?) async throws -> ServerAnswer {
        switch contract {
        case .account: try await server.ask(.DELETE, "/me/account", token: token)
        case .function:
            try await server.ask(
                .POST, "/functions/v1/delete-account", token: token, json: "{}", headers: ["apikey": "anon"])
        }
    }

    private static func isSame(_ answer: ServerAnswer, _ expected: [String: Any]) -> Bool {
        (answer.json as NSDictionary).isEqual(to: expected)
    }

    @Test("SV-1 SV-2 SV-6 AD-8 only the pool's own current token works, for this client; a later sign-up is a new user")
    func tokens() async throws {
        try await AccountsPlace.with(.sqlite) { app in
            try await app.serving { server in
                let (peer, name) = (app.peer, "ben")
                let person = try await app.settle(name)
                let before = try await peer.census(person)
                func token(_ query: String) async throws -> String {
                    try #require(try await peer.ask(.POST, "/token/\(name)?\(query)").string)
                }
                let parts = person.token.split(separator: ".")
                let bad: [String?] = [
                    nil, "nonsense", "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))",
                    try await token("client=another"), try await token("life=-60"), try await token("use=refresh"),
                ]
                for (number, token) in bad.enumerated() {
                    let refused = try await ask(server, .account, token)
                    #expect(refused.status == 401, "\(number): \(refused)")
                    #expect(Self.isSame(refused, ["error": "Unauthorized - missing user identity"]), "\(number): \(refused)")
                    let function = try await ask(server, .function, token)
                    #expect(function.status == 401 && function.json["error"] is [String: Any], "\(number): \(function)")
                }
                let stale = try await ask(server, .account, try await token("age=90000"))
                #expect(stale.status == 403 && stale.json["error"] is String, "\(stale)")
                #expect(try await peer.census(person) == before, "another user was changed")

                let done = try await ask(server, .account, try await token("use=id"))
                #expect(done.status == 200, "\(done)")
                let back = try await app.settle(name)
                let new = try await peer.census(back)
                #expect(back.sub != person.sub)
                // The old token is valid until it expires, and names an erased user.
                #expect(try await ask(server, .account, person.token).status == 200)
                #expect(try await peer.census(back) == new)
                #expect(try await ask(server, .account, back.token).status == 200)
                #expect(try await peer.census(back).own.isEmpty)
            }
        }
    }

    @Test("BX-2 SV-2 preview counts the systems' data, erase erases it, verify reads it back; an unreachable system is reported")
    func command() async throws {
        try await AccountsPlace.with(.postgresql) { app in
            let person = try await app.settle("cyd")
            let preview = try await app.command("preview", "--subject", person.sub, "--json")
            let places = try #require(preview.objects.first?["places"] as? [[String: Any]], "\(preview)")
            let counted = Dictionary(
                uniqueKeysWithValues: places.compactMap { place in
                    (place["place"] as? String).map { ($0, place["count"] as? Int ?? 0) }
                })
            let expected = [
                "cognito": 1, "dynamodb_entitlements": 3, "dynamodb_userprofiles": 1, "photos": 4, "stripe": 1,
                "public.accounts": 1,
            ]
            #expect(counted == expected, "\(preview)")
            let left = try await app.command("verify", "--subject", person.sub, "--json")
            #expect(left.status != 0)
            #expect(left.objects.first?["left"] as? [String: Int] == expected, "\(left)")
            let erased = try await app.command("erase", "--subject", person.sub, "--yes")
            #expect(erased.status == 0, "\(erased)")
            #expect(try await app.peer.census(person).own.isEmpty)
            // Stripe's name for them was in the deleted row.
            let clean = try await app.command("verify", "--subject", person.sub, "--json")
            #expect(clean.status == 0 && clean.objects.first?["unread"] as? [String] == ["stripe"], "\(clean)")
            try await app.peer.shut("photos", 503)
            let unknown = try await app.command("verify", "--subject", person.sub)
            try await app.peer.shut("photos", 0)
            #expect(unknown.status != 0 && unknown.output.contains("photos did not answer"), "\(unknown)")
        }
    }

    @Test("EX-1 EX-2 the command exports one user's data from the systems, and no neighbour's; the manifest lists the other systems")
    func export() async throws {
        try await AccountsPlace.with(.sqlite, isWide: true) { app in
            let person = try await app.settle("eve")
            let before = try await app.peer.census(person)
            let done = try await app.command("export", "--subject", person.sub, "--output", "out", "--json")
            #expect(done.status == 0, "\(done)")
            #expect(try await app.peer.census(person) == before)
            let manifest = try #require(done.objects.first, "\(done)")
            let files = Dictionary(
                uniqueKeysWithValues: (manifest["folders"] as? [[String: Any]] ?? []).compactMap { folder in
                    (folder["place"] as? String).map { ($0, folder["files"] as? Int ?? 0) }
                })
            let read = [
                "cognito": 1, "dynamodb_entitlements": 1, "dynamodb_userprofiles": 1, "stripe": 3, "supabase-auth": 1,
                "supabase-storage": 2, "revenuecat": 5,
            ]
            #expect(files.filter { $0.key != "photos" } == read, "\(done)")
            let out = app.place.folder.appendingPathComponent("out")
            func text(_ path: String) throws -> String {
                try String(contentsOf: out.appendingPathComponent("systems/" + path), encoding: .utf8)
            }
            #expect(try text("cognito/1-user.json").contains("eve@example.org"))
            #expect(try text("stripe/1-customer.json").contains(person.customer))
            let subscriptions = try text("stripe/2-subscriptions.json")
            #expect(subscriptions.contains(#""customer":"\#(person.customer)""#) && subscriptions.contains("active"))
            #expect(try text("supabase-auth/1-user.json").contains(person.vendors["supabase-auth"] ?? "?"))
            let checked = try await app.command("export", "--check", "out")
            #expect(checked.status == 0 && checked.output.contains("Genuine"), "\(checked)")
        }
    }

    @Test(
        "BX-4 F1 P3 after kill -9 within each system's step, at each change, the run ends, effects once, the receipt lists all",
        arguments: SQLDialect.allCases)
    func killed(_ dialect: SQLDialect) async throws {
        // On the one database before the change, on the other after it.
        let when = dialect == .sqlite ? "after" : "before"
        try await AccountsPlace.with(dialect, isWide: true) { app in
            let (_, changes) = try await leave(app, "dora-\(dialect.rawValue)", kill: nil)
            let made = Dictionary(grouping: changes, by: \.door).mapValues(\.count)
            #expect(Set(made.keys) == Set(AccountsPlace.doors + AccountsPlace.vendors.keys), "\(made)")
            for stage in [Set(made.keys).subtracting(["cognito"]), ["cognito"]] {
                for number in 1...(stage.compactMap { made[$0] }.max() ?? 1) {
                    let doors = stage.filter { made[$0] ?? 0 >= number }.sorted()
                    let name = "dora-\(dialect.rawValue)-\(doors.first ?? "")-\(doors.count)-\(number)"
                    let (person, again) = try await leave(
                        app, name, kill: "/hold/\(when)/\(number)/\(doors.joined(separator: ","))", at: Set(doors))
                    // Nothing was asked for that the undisturbed run does not ask for.
                    func plain(_ change: SystemsPeer.Change) -> String { change.door }
                    #expect(Set(again.map(plain)) == Set(changes.map(plain)), "\(person.name)")
                }
            }
        }
    }

    /// A user is erased; the server is killed while calls wait at those systems, and another one continues.
    private func leave(
        _ app: AccountsPlace, _ name: String, kill: String?, at doors: Set<String> = []
    ) async throws -> (SystemsPeer.Person, [SystemsPeer.Change]) {
        let peer = app.peer
        let person = try await app.settle(name)
        let before = try await peer.census(person)
        let first = try await peer.changes().count
        let asked = Guarded((id: "", ticket: ""))
        @Sendable func ask(_ server: RunningServer) async throws {
            let answer = try await server.ask(
                .POST, "/v1/erasures", token: person.token, headers: ["Idempotency-Key": name, "Prefer": "wait=0"])
            let (id, ticket) = (answer.json["id"] as? String, answer.json["ticket"] as? String)
            asked.withLock { $0 = (id ?? "", ticket ?? "") }
            #expect(!(id ?? "").isEmpty && !(ticket ?? "").isEmpty, "\(answer)")
        }
        if let kill {
            _ = try await peer.ask(.POST, kill)
            try await app.serving { server in
                try await ask(server)
                try await eventually { try await peer.held().isSuperset(of: doors) }
                server.signal(SIGKILL)
            }
            _ = try await peer.ask(.POST, "/release")
        }
        try await app.serving { server in
            if kill == nil { try await ask(server) }
            let (id, ticket) = asked.withLock { $0 }
            let headers = ["X-Farewell-Ticket": ticket]
            try await eventually {
                let now = try await server.ask(.GET, "/v1/erasures/\(id)", headers: headers)
                try #require(now.json["state"] as? String != "needs attention", "\(now)")
                return now.json["state"] as? String == "done"
            }
            let receipt = try await server.ask(.GET, "/v1/erasures/\(id)/receipt", headers: headers)
            let expected = [
                "cognito": 1, "dynamodb_entitlements": 3, "dynamodb_userprofiles": 1, "photos": 4, "stripe": 1,
                "supabase-auth": 1, "supabase-storage": 2, "revenuecat": 1,
            ]
            let told = try Self.erased(receipt.text).filter { !$0.key.contains("accounts") }
            #expect(told == expected, "\(name): \(receipt)")
        }
        #expect(try await peer.census(person) == .init(own: [:], others: before.others), "\(name)")
        #expect(try await app.rows(of: person) == 0)
        let changes = try await peer.changes(from: first)
        for (change, all) in Dictionary(grouping: changes, by: \.change) {
            #expect(Set(all.map(\.key)).count == 1, "\(name): \(change) was sent under several keys")
        }
        return (person, changes.map(\.change))
    }

    /// The erased counts of a receipt, by place.
    private static func erased(_ receipt: String) throws -> [String: Int] {
        var text = String(receipt.split(separator: ".")[1]).replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        let claims = try StrictJSON.value(Array(try #require(Data(base64Encoded: text))), depth: 32)
        let steps = try #require(claims["steps"]?.array ?? claims["receipt"]?["steps"]?.array, "\(claims)")
        var erased: [String: Int] = [:]
        for place in steps.flatMap({ $0["places"]?.array ?? [] }) {
            guard let name = place["place"]?.string, let count = place["erased"]?.integer, count > 0 else { continue }
            erased[name, default: 0] += Int(count)
        }
        return erased
    }
}
