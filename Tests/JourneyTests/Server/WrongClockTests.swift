// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import Testing

#if os(Linux)
/// Real processes whose wall clock is 11 years ahead, by Debian's faketime; their monotonic clock runs as it does.
@Suite("Processes under a wrong clock")
struct WrongClockTests {
    private static func shift() throws -> [String: String] {
        let places = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib")
            .map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" }
        let library = try #require(places.first { FileManager.default.fileExists(atPath: $0) }, "faketime is not installed")
        return ["LD_PRELOAD": library, "FAKETIME": "+11y", "DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"]
    }

    /// For a command that serves, with the name that all servers of a place have.
    private static func serving() throws -> [String: String] {
        var environment = try shift()
        environment["FAREWELL_TOKENS_ISSUER"] = ServerPlace.issuer
        return environment
    }

    private static func run(_ address: String, _ script: String...) async throws -> [[SQLValue]] {
        let database = try openDatabase(address)
        var rows: [[SQLValue]] = []
        for statement in script {
            rows = try await database.withConnection { try await $0.run(SQLStatement(statement)).rows }
        }
        await database.close()
        return rows
    }

    private static func count(_ address: String, _ what: String) async throws -> Int64? {
        try await run(address, "SELECT count(*) FROM \(what)").first?.first?.integer
    }

    /// Users with two invoices each, which are retained for ten years.
    private static func withShop(_ use: (ServerPlace, _ shop: String) async throws -> Void) async throws {
        try await ServerPlace.with(.postgresql) { place in
            let name = "shop_" + UUID().uuidString.lowercased().replacing("-", with: "_")
            let shop = try await TestServer.makeDatabase(name)
            do {
                try await fill(shop, place)
                try await use(place, shop)
            } catch {
                await TestServer.dropDatabase(name)
                throw error
            }
            await TestServer.dropDatabase(name)
        }
    }

    private static func fill(_ shop: String, _ place: ServerPlace) async throws {
        _ = try await run(
            shop, "CREATE TABLE public.users (id integer PRIMARY KEY, email text)",
            """
            CREATE TABLE public.invoices (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, \
            user_id integer REFERENCES public.users, invoice_date date NOT NULL, total numeric)
            """,
            "CREATE INDEX ON public.invoices (user_id)",
            "INSERT INTO public.users SELECT g, 'u' || g || '@example.org' FROM generate_series(1, 3) AS g",
            """
            INSERT INTO public.invoices (user_id, invoice_date, total) \
            SELECT u.id, current_date, 10 FROM public.users AS u, generate_series(1, 2)
            """)
        let made = try await place.call(["init", "--database", shop, "--subject", "public.users.id", "--plan", "plan.yaml"])
        try #require(made.status == 0, "\(made)")
        let file = place.folder.appendingPathComponent("plan.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: "  public.invoices:"))
        let end = text[start.upperBound...].range(of: "\n  public.")?.lowerBound ?? text.endIndex
        let retained = """
              public.invoices:
                rule: retain
                reason: "Invoices are kept for ten years by tax law."
                for: 10 years
                from: invoice_date
                links:
                  - {from: user_id, to: public.users.id, key: no action}
                columns: {id: retain, user_id: null, invoice_date: retain, total: retain}

            """
        try Data("\(text[..<start.lowerBound])\(retained)\(text[end...])".utf8).write(to: file)
    }

    @Test("OP-3 OPS-10 a worker with a clock 11 years ahead keeps invoices retained for ten years, and reports the reason")
    func worker() async throws {
        try await Self.withShop { place, shop in
            let erased = try await place.call(["erase", "--database", shop, "--plan", "plan.yaml", "--subject", "1", "--yes"])
            try #require(erased.status == 0, "\(erased)")
            // A worker records that it has reported the end: so it visibly does its duties.
            _ = try await Self.run(
                shop, "INSERT INTO farewell.requests (erasure, due_at) SELECT id, now() + interval '1 day' FROM farewell.erasures")
            let erasures = "erasures: {plan: plan.yaml, database-url: \"\(shop)\", second-look: 0}\n"
            let settings = place.folder.appendingPathComponent("work.yaml")
            try Data((ServerPlace.generous + erasures).utf8).write(to: settings)
            // Each start looks after every duty at once. Later rounds do not come: tasks do not wake under that library.
            for _ in 1...3 {
                _ = try await Self.run(shop, "UPDATE farewell.requests SET told = NULL")
                let status = try await place.running(
                    ["work", "--settings", "work.yaml"], environment: try Self.serving(), until: "Working"
                ) { _ in
                    try await eventually { try await Self.count(shop, "farewell.requests WHERE told IS NOT NULL") == 1 }
                }
                #expect(status == 0)
            }
            let log = try String(contentsOf: place.log, encoding: .utf8)
            #expect(try await Self.count(shop, "public.invoices") == 6, "\(log)")
            #expect(try await Self.count(shop, "farewell.retentions WHERE ended_at IS NULL") == 1)
            #expect(log.contains("11 years ahead of the database's") && !log.contains("A retention ended"), "\(log)")
        }
    }

    @Test("OP-3 OPS-10 a receipt from a command with a clock 11 years ahead has the database's times; doctor reports the clock")
    func command() async throws {
        try await Self.withShop { place, shop in
            let words = ["--database", shop, "--plan", "plan.yaml"]
            let erased = try await place.call(["erase", "--subject", "1", "--yes"] + words, environment: try Self.shift())
            #expect(erased.status == 0 && erased.errors.contains("11 years ahead of the database's"), "\(erased)")
            let right = "requested_at <= finished_at AND finished_at <= now() AND requested_at > now() - interval '5 minutes'"
            #expect(try await Self.count(shop, "farewell.erasures WHERE \(right)") == 1)
            let doctor = try await place.call(["doctor"] + words, environment: try Self.shift())
            #expect(doctor.status == 1 && doctor.output.contains("s apart"), "\(doctor)")
            let confirmed = try await place.call(["doctor", "--confirm-clock"] + words, environment: try Self.shift())
            #expect(confirmed.status != 0 && confirmed.errors.contains("PostgreSQL's clock decides"), "\(confirmed)")
            let honest = try await place.call(["doctor"] + words)
            #expect(honest.status == 0, "\(honest)")
        }
    }

    @Test("OP-3 OPS-10 a command with a clock 11 years ahead erases no subject whose invoices are retained from today on")
    func countedFromToday() async throws {
        try await Self.withShop { place, shop in
            let file = place.folder.appendingPathComponent("plan.yaml")
            let text = try String(contentsOf: file, encoding: .utf8)
            try Data(text.replacing("    from: invoice_date\n", with: "").utf8).write(to: file)
            let options = ["--yes", "--database", shop, "--plan", "plan.yaml"]
            let before = try await place.call(["erase", "--subject", "2"] + options)
            #expect(before.status == 0, "\(before)")
            let words = ["erase", "--subject", "1"] + options
            let refused = try await place.call(words, environment: try Self.shift())
            #expect(refused.status == 75, "\(refused)")
            #expect(refused.errors.contains("11 years ahead") && refused.errors.contains("counted from today"), "\(refused)")
            #expect(try await Self.count(shop, "public.users") == 2)
            #expect(try await Self.count(shop, "farewell.erasures") == 1)
            let after = try await place.call(words)
            #expect(after.status == 0, "\(after)")
            #expect(try await Self.count(shop, "farewell.retentions WHERE until > '2030'") == 2)
        }
    }

    @Test("OP-3 OPS-10 on SQLite a server reports a clock jump, still signs users in, and an operator confirms the time")
    func server() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving { server in _ = try await server.person("anna@example.org") }
            let words = ["doctor", "--database", place.address, "--state", place.state.path]
            #expect(try await place.call(words).output.contains("as before"))
            try Data(ServerPlace.generous.utf8).write(to: place.folder.appendingPathComponent("shifted.yaml"))
            _ = try await place.running(
                ["serve", "--settings", "shifted.yaml", "--port", "0"], environment: try Self.serving(), until: "Listening on "
            ) { server in
                try await eventually {
                    try String(contentsOf: place.log, encoding: .utf8).contains("clock has jumped 11 years ahead")
                }
                let signedIn = try await server.signIn("anna@example.org")
                #expect(try await server.isAccepted(signedIn.access))
            }
            let doctor = try await place.call(words, environment: try Self.shift())
            #expect(doctor.status == 1 && doctor.output.contains("jumped 11 years ahead"), "\(doctor)")
            let confirmed = try await place.call(words + ["--confirm-clock"], environment: try Self.shift())
            #expect(confirmed.status == 0 && confirmed.output.contains("as before"), "\(confirmed)")
            let back = try await place.call(words)
            #expect(back.status == 1 && back.output.contains("jumped 11 years back"), "\(back)")
        }
    }
}
#endif
