// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSample
import FarewellVerifier
import Foundation
import NIOHTTP1
import Testing

@Suite("An app beside the authority's tables, with a user who is erased by plan")
struct ServerErasureTests {
    @Test(
        "AD-8 SE-9 init knows the authority's tables, check finds nothing, and a user erased by plan is signed out everywhere at once",
        arguments: SQLDialect.allCases)
    func erased(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { server in
                let people = try SamplePeople(.coachme, people: 12)
                let database = try openDatabase(place.address)
                try await people.make(in: database, examples: ExampleFolder(near: [#filePath]), accounts: .present)
                let id = people.subjectKey(at: people.exampleIndex)
                let mine = try await signedIn(id, server)
                let other = try await server.person()

                try await plan(place, people)
                try await server.verified { verifier in
                    for token in [mine.access, other.access] { _ = try await verifier.verify(token) }
                    let erased = try await command(place, "erase", "--subject", id, "--yes", "--deep", "--json")
                    #expect(erased.status == 0, "\(erased)")
                    #expect(try await server.refusal(of: mine.access, by: verifier) == .revoked)
                    _ = try await verifier.verify(other.access)
                }
                let shown = try await server.ask(.GET, "/auth/v1/user", token: mine.access)
                #expect(shown.status == 403 && shown.code == "user_not_found", "\(shown)")
                #expect(try await server.refresh(mine.refresh).status == 400)
                #expect(try await server.isAccepted(other.access))
                #expect(try await server.refresh(other.refresh).status == 200)

                // Nothing names the person any longer but the feed, which says that they are out.
                var places: [String] = []
                for table in try await Schema.read(from: database).tables {
                    let name = dialect.qualified(table.name)
                    let rows = try await database.withConnection { try await $0.run(SQLStatement("SELECT * FROM \(name)")).rows }
                    if rows.contains(where: { "\($0)".lowercased().contains(id) }) { places.append(table.name.name) }
                }
                await database.close()
                #expect(places == [dialect == .postgresql ? "revocations" : "auth_revocations"])
                #expect(try await command(place, "verify", "--subject", id, "--deep").status == 0)
                #expect(try await command(place, "check").status == 0)

                let again = try await server.person(mine.email)
                let new = try await server.ask(.GET, "/auth/v1/user", token: again.access)
                #expect(new.status == 200 && new.json["id"] as? String != id, "\(new)")
            }
        }
    }

    /// Gives one of the app's people a password, and signs them in.
    private func signedIn(_ id: String, _ server: RunningServer) async throws -> SignedIn {
        let change = #"{"password":"\#(SignedIn.password)","email_confirm":true}"#
        let changed = try await server.ask(.PUT, "/auth/v1/admin/users/\(id)", token: server.serviceKey(), json: change)
        let email = try #require(changed.json["email"] as? String, "\(changed)")
        return try await server.signIn(email)
    }

    private func command(_ place: ServerPlace, _ words: String...) async throws -> CommandEnd {
        try await place.call(words, environment: ["FAREWELL_DATABASE_URL": place.address])
    }

    private func plan(_ place: ServerPlace, _ people: SamplePeople) async throws {
        let made = try await command(place, "init", "--subject", people.subject(place.dialect).description)
        #expect(made.status == 0, "\(made)")
        let file = place.folder.appendingPathComponent("farewell.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("for: 2 days") && text.contains("Farewell's own"))
        let decided = try await command(place, "decide", "--table", "*", "--answer", "owner")
        #expect(decided.status == 0, "\(decided)")
        let checked = try await command(place, "check", "--json")
        let findings = try #require(checked.objects.first?["findings"] as? [Any], "\(checked)")
        #expect(checked.status == 0 && findings.isEmpty, "\(checked)")
    }
}
