// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import Testing

@Suite("Databases that refuse, and what the command says")
struct CommandServerTests {
    @Test("a server that is down: try again, and the password is nowhere")
    func serverDown() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            let address = "postgresql://farewell:geheim@127.0.0.1:1/app"
            for arguments in [
                ["check"], ["preview", "--subject", "x"], ["erase", "--subject", "x", "--yes"], ["doctor"],
            ] {
                let end = try await place.call(arguments + ["--database", address, "--verbose"])
                #expect(end.status == 75, "\(end)")
                #expect(!end.description.contains("geheim") && end.errors.contains("→"), "\(end)")
            }
        }
    }

    @Test("a wrong password or an unknown role is yours to fix, and is not repeated")
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
        "an address that cannot be read is not repeated",
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

    @Test("a file that is no database, or is not there, is told from one that is locked")
    func badFile() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            for address in ["sqlite:farewell.yaml", "sqlite:none.sqlite", "sqlite:."] {
                let end = try await place.call(["check", "--database", address])
                #expect(end.status == 2 && end.errors.contains("→"), "\(end)")
            }
        }
    }

    @Test("a role without rights: the missing right is named before anything is deleted")
    func missingRights() async throws {
        try await CommandPlace.with(.postgresql) { place in
            let role = "weak_" + UUID().uuidString.prefix(8).lowercased()
            _ = try await place.query("CREATE ROLE \(role) LOGIN")
            for right in [
                "CREATE ON DATABASE \(try #require(URLComponents(string: place.address)?.path.dropFirst()))",
                "USAGE ON SCHEMA auth", "USAGE ON SCHEMA public", "SELECT, DELETE ON ALL TABLES IN SCHEMA auth",
                "SELECT, UPDATE ON ALL TABLES IN SCHEMA public",
            ] { _ = try await place.query("GRANT \(right) TO \(role)") }
            let before = try await place.rows()
            var parts = try #require(URLComponents(string: place.address))
            parts.user = role
            let weak = parts.string ?? ""
            let end = try await place.call(["erase", "--subject", place.person, "--yes", "--database", weak])
            #expect(end.status == 2, "\(end)")
            #expect(end.errors.contains("public.") && end.errors.contains("may not delete"), "\(end)")
            #expect(try await place.rows() == before)
            let doctor = try await place.call(["doctor", "--database", weak])
            #expect(doctor.status == 1 && doctor.output.contains("GRANT DELETE"), "\(doctor)")
            _ = try await place.query("DROP OWNED BY \(role)")
            _ = try await place.query("DROP ROLE \(role)")
        }
    }

    @Test("a server that takes no writes is told, and a preview works on it")
    func readOnlyServer() async throws {
        try await CommandPlace.with(.postgresql) { place in
            let address = place.address + "?options=-c%20default_transaction_read_only%3Don"
            let before = try await place.rows()
            let preview = try await place.call(["preview", "--subject", place.person, "--database", address])
            #expect(preview.status == 0, "\(preview)")
            let end = try await place.call(["erase", "--subject", place.person, "--yes", "--database", address])
            #expect(end.status == 2 && end.errors.contains("read"), "\(end)")
            #expect(try await place.rows() == before)
        }
    }

    @Test("a file that can only be read is told, and a preview works on it")
    func readOnlyFile() async throws {
        try await CommandPlace.with(.sqlite) { place in
            // Whoever is root may write anywhere, so the command runs as nobody.
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.folder.path)
            try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: place.sqlite.path)
            let preview = try await place.asNobody(["preview", "--subject", place.person])
            #expect(preview.status == 0, "\(preview)")
            let end = try await place.asNobody(["erase", "--subject", place.person, "--yes"])
            #expect(end.status == 2, "\(end)")
            #expect(try await place.query("SELECT count(*) FROM auth_users") == [[.integer(30)]])
        }
    }

    @Test("a lock that another holds is a passing condition, and the run goes on when it is free")
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
    /// Calls the command as a user who may only read what everybody may.
    func asNobody(_ arguments: [String]) async throws -> CommandEnd {
        guard geteuid() == 0 else { return try await call(arguments) }
        var configuration = configuration([])
        configuration.executable = .name("setpriv")
        let words = ["--reuid=65534", "--regid=65534", "--clear-groups", TestBinary.path("farewell")]
        configuration.arguments = .init(words + arguments)
        return try await end(of: configuration)
    }
}
