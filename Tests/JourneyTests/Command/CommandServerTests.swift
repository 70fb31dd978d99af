// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import Testing

@Suite("Databases that refuse, and the errors of the command")
struct CommandServerTests {
    @Test("DX-1 when the server is down, the exit status is 75, the error names what was tried, and the password appears nowhere")
    func serverDown() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            let address = "postgresql://farewell:geheim@127.0.0.1:1/app"
            for arguments in [
                ["check"], ["preview", "--subject", "x"], ["erase", "--subject", "x", "--yes"], ["doctor"],
            ] {
                let end = try await place.call(arguments + ["--database", address, "--verbose"])
                #expect(end.status == 75, "\(end)")
                #expect(!end.description.contains("geheim") && end.errors.contains("→"), "\(end)")
                #expect(end.errors.contains("127.0.0.1:1 (address from --database)"), "\(end)")
            }
            let named = ["FAREWELL_DATABASE_URL": "postgresql://u:geheim@/app", "PGHOST": "127.0.0.1", "PGPORT": "1"]
            let end = try await place.farewell("check", environment: named)
            let words = "127.0.0.1:1 (address from FAREWELL_DATABASE_URL, host from PGHOST, port from PGPORT)"
            #expect(end.status == 75 && end.errors.contains(words) && !end.description.contains("geheim"), "\(end)")
        }
    }

    @Test("a wrong password or an unknown role is an error for the user to fix, and the call is not repeated")
    func wrongPassword() async throws {
        try await OwnServer.with { server in
            try await CommandPlace.with(.postgresql, people: 1, on: .server(server)) { place in
                _ = try await place.query("CREATE ROLE guest LOGIN PASSWORD 'right'")
                try await server.askForPassword(of: "guest")
                for (name, code) in [("guest", "28P01"), ("nobody", "28000")] {
                    var parts = try #require(URLComponents(string: place.address))
                    parts.user = name
                    parts.password = "geheim"
                    let end = try await place.call(["check", "--database", parts.string ?? ""])
                    #expect(end.status == 2 && end.errors.contains(code), "\(end)")
                    #expect(!end.description.contains("geheim"), "\(end)")
                }
            }
        }
    }

    @Test(
        "a call with an unreadable address is not repeated",
        arguments: [
            "mysql://root:geheim@db/app", "postgresql://a:geh eim@[::1/app?x=y", "postgresql://%zz:geheim@h/app",
            "sqlite://host/geheim", "",
        ])
    func badAddress(_ address: String) async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            let end = try await place.farewell("check", environment: ["FAREWELL_DATABASE_URL": address])
            #expect(end.status == 2, "\(end)")
            #expect(!end.description.contains("geheim") && !end.description.contains("geh eim"), "\(end)")
        }
    }

    @Test("the error about a file that is missing or not a database differs from that about a locked one")
    func badFile() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            for address in ["sqlite:farewell.yaml", "sqlite:none.sqlite", "sqlite:."] {
                let end = try await place.call(["check", "--database", address])
                #expect(end.status == 2 && end.errors.contains("→"), "\(end)")
            }
        }
    }

    @Test(
        "a role without rights: the missing right is named before any deletion, and once granted the subject is erased",
        arguments: [
            ("select", "public.messages"), ("delete", "public.messages"), ("update", "public.usage_logs"),
            ("insert", "farewell.schemas"), ("insert", "farewell.erasures"), ("insert", "farewell.ledger"),
            ("update", "farewell.steps"),
        ])
    func missingRights(_ right: String, _ table: String) async throws {
        try await CommandPlace.with(.postgresql, isPlanned: false) { place in
            try await planAnonymousUsage(place)
            // Makes the schema farewell, as another role.
            let first = try await place.farewell("erase", "--subject", place.neighbour, "--yes")
            #expect(first.status == 0, "\(first)")
            let role = "weak_" + UUID().uuidString.prefix(8).lowercased()
            _ = try await place.query("CREATE ROLE \(role) LOGIN")
            for rights in [
                "USAGE ON SCHEMA auth, public, farewell", "CREATE ON SCHEMA farewell",
                "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA auth, public, farewell",
            ] { _ = try await place.query("GRANT \(rights) TO \(role)") }
            _ = try await place.query("REVOKE \(right) ON \(table) FROM \(role)")
            let before = try await place.rows()
            var parts = try #require(URLComponents(string: place.address))
            parts.user = role
            let erase = ["erase", "--subject", place.person, "--yes", "--database", parts.string ?? ""]
            let end = try await place.call(erase)
            #expect(end.status == 2, "\(end)")
            #expect(end.errors.contains(table) && end.errors.contains("may not \(right)"), "\(end)")
            #expect(try await place.rows() == before)
            let doctor = try await place.call(["doctor", "--database", parts.string ?? ""])
            #expect(doctor.status == 1 && doctor.output.contains("GRANT \(right.uppercased())"), "\(doctor)")
            _ = try await place.query("GRANT \(right) ON \(table) TO \(role)")
            let again = try await place.call(erase)
            #expect(again.status == 0, "\(again)")
            _ = try await place.query("DROP OWNED BY \(role)")
            _ = try await place.query("DROP ROLE \(role)")
        }
    }

    /// Writes a plan that erases but for the usage, which stays without its person.
    private func planAnonymousUsage(_ place: CommandPlace) async throws {
        _ = try await place.query("ALTER TABLE public.usage_logs ALTER user_id DROP NOT NULL")
        try await place.writePlan()
        var plan = try PlanFile.load(path: place.plan.path)
        let usage = try #require(plan.tables.firstIndex(where: { $0.table.name == "usage_logs" }))
        plan.questions = []
        plan.tables[usage].rule = .anonymise
        for link in plan.tables[usage].links.indices where plan.tables[usage].links[link].columns == ["message_id"] {
            plan.tables[usage].links[link].role = .reference
        }
        plan.tables[usage].columns = plan.tables[usage].columns.map { column in
            TablePlan.PlannedColumn(column.name, column.name == "user_id" ? .null : .notPersonal)
        }
        try Data(PlanFile.text(for: plan).utf8).write(to: place.plan)
    }

    @Test("OP-5 OPS-05 a read-only server is a temporary error, and a preview works on it")
    func readOnlyServer() async throws {
        try await CommandPlace.with(.postgresql) { place in
            let address = place.address + "?options=-c%20default_transaction_read_only%3Don"
            let before = try await place.rows()
            let preview = try await place.call(["preview", "--subject", place.person, "--database", address])
            #expect(preview.status == 0, "\(preview)")
            let end = try await place.call(["erase", "--subject", place.person, "--yes", "--database", address])
            #expect(end.status == 75 && end.errors.contains("read"), "\(end)")
            #expect(try await place.rows() == before)
        }
    }

    @Test("a read-only file gives an error that says so, and a preview works on it")
    func readOnlyFile() async throws {
        try await CommandPlace.with(.sqlite, isPlanned: false) { place in
            // It also leaves the files beside the database that reading it needs.
            try await place.writePlan()
            // Root may write anywhere, so the command runs as the user `nobody`.
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.folder.path)
            for ending in ["", "-wal", "-shm"] {
                let path = place.sqlite.path + ending
                guard FileManager.default.fileExists(atPath: path) else { continue }
                try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
            }
            let preview = try await place.asNobody(["preview", "--subject", place.person])
            #expect(preview.status == 0, "\(preview)")
            let end = try await place.asNobody(["erase", "--subject", place.person, "--yes"])
            #expect(end.status == 2, "\(end)")
            #expect(try await place.query("SELECT count(*) FROM auth_users") == [[.integer(30)]])
        }
    }

    @Test("another transaction's lock is a temporary error, and the run continues once the lock is released")
    func lockedFile() async throws {
        try await CommandPlace.with(.sqlite, people: 3) { place in
            #expect(try await place.farewell("erase", "--subject", place.neighbour, "--yes").status == 0)
            let database = try openDatabase(place.address)
            let end = try await database.withConnection { connection in
                try await connection.run("BEGIN EXCLUSIVE")
                let end = try await place.farewell("erase", "--subject", place.person, "--yes")
                try await connection.run("ROLLBACK")
                return end
            }
            await database.close()
            #expect(end.status == 75, "\(end)")
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 0)
        }
    }
}

extension CommandPlace {
    /// Calls the command as a user with the fewest rights.
    func asNobody(_ arguments: [String]) async throws -> CommandEnd {
        guard geteuid() == 0 else { return try await call(arguments) }
        var configuration = configuration([])
        configuration.executable = .name("setpriv")
        let words = ["--reuid=65534", "--regid=65534", "--clear-groups", TestBinary.path("farewell")]
        configuration.arguments = .init(words + arguments)
        return try await end(of: configuration)
    }
}
