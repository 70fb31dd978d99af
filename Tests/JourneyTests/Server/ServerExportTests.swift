// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import TestFixtures
import Testing

@Suite("Exports from a server, from the user's view")
struct ServerExportTests {
    /// The files and folders of exports below the state directory, without the servers' own folders.
    private static func files(_ place: ErasurePlace) -> [String] {
        let root = place.place.state.appendingPathComponent("exports").path
        let all = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.contains("/") }
    }

    private static func request(_ person: SignedIn, _ server: RunningServer) async throws -> String {
        let asked = try await server.ask(.POST, "/v1/exports", token: person.access)
        try #require(asked.status == 202, "\(asked)")
        return try #require(asked.json["id"] as? String)
    }

    /// Waits for the end of an export.
    private static func ended(_ id: String, _ person: SignedIn, _ server: RunningServer) async throws -> ServerAnswer {
        let last = Guarded<ServerAnswer?>(nil)
        try await eventually {
            let answer = try await server.ask(.GET, "/v1/exports/\(id)", token: person.access)
            last.withLock { $0 = answer }
            return answer.status != 200 || ["ready", "failed"].contains(answer.json["state"] as? String)
        }
        return try #require(last.withLock { $0 })
    }

    /// The audit log's entries about exports.
    private static func acts(_ place: ErasurePlace) async throws -> [String] {
        try await place.query("SELECT entry FROM \(place.control)audit ORDER BY sequence").compactMap { $0[0].text }
            .filter { $0.contains(#""export."#) }
    }

    @Test(
        "EX-1 EX-2 EX-3 a user downloads a genuine archive of their own data only; an erasure removes it, and no log shows any of it",
        arguments: SQLDialect.allCases)
    func whole(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 4) { place in
            let secrets = Guarded([place.key(0), "export.zip", ".farewell-export"])
            let settings = place.settings() + "export: {offering: on}\nlog: {level: trace}\n"
            let status = try await place.place.serving(settings) { server in
                let (mine, other) = (try await place.signIn(0, server), try await place.signIn(1, server))
                let id = try await Self.request(mine, server)
                let ready = try await Self.ended(id, mine, server)
                #expect(ready.json["state"] as? String == "ready" && ready.json["expires_at"] != nil, "\(ready)")
                let (done, total) = (ready.json["tables_done"] as? Int, ready.json["tables_total"] as? Int)
                #expect(done == total && total ?? 0 > 3 && ready.json["bytes"] as? Int ?? 0 > 1_000, "\(ready)")
                for token in [other.access, try server.serviceKey()] {
                    let refused = try await server.ask(.GET, "/v1/exports/\(id)/archive", token: token)
                    #expect([401, 403, 404].contains(refused.status), "\(refused)")
                }

                let archive = try await server.ask(.GET, "/v1/exports/\(id)/archive", token: mine.access)
                #expect(archive.status == 200 && archive.body.count == ready.json["archive_bytes"] as? Int)
                let folder = place.place.folder
                try archive.body.write(to: folder.appendingPathComponent("mine.zip"))
                let told = try Program.python(
                    """
                    import os, sys, zipfile
                    with zipfile.ZipFile(sys.argv[1]) as archive:
                        archive.extractall(sys.argv[2])
                        for name in archive.namelist(): sys.stdout.write(name + "\\n" + archive.read(name).decode("utf-8", "replace"))
                    """, [folder.appendingPathComponent("mine.zip").path, folder.appendingPathComponent("unpacked").path])
                let checked = try await place.place.call(["export", "--check", "unpacked/export"])
                #expect(checked.status == 0 && checked.output.contains("Genuine"), "\(checked)")
                let text = told.lowercased()
                #expect(text.contains(place.key(0).lowercased()))
                for person in 1..<4 { #expect(!text.contains(place.key(person).lowercased()), "\(person)") }

                let files = Self.files(place).filter { $0.hasSuffix("export.zip") }
                try #require(files.count == 1, "\(files)")
                let path = place.place.state.appendingPathComponent("exports/\(files[0])").path
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                // Another server with the same database and keys knows nothing of it, and removes nothing of a living one.
                try await place.place.serving(settings) { second in
                    let unknown = try await second.ask(.GET, "/v1/exports/\(id)", token: mine.access)
                    #expect(unknown.status == 404, "\(unknown)")
                }
                #expect(FileManager.default.fileExists(atPath: path))

                let erased = try await server.ask(
                    .POST, "/v1/erasures", token: mine.access, headers: ["Idempotency-Key": "k", "Prefer": "wait=120"])
                #expect(erased.status == 200, "\(erased)")
                #expect(Self.files(place).isEmpty, "\(Self.files(place))")
                let late = try await server.ask(.GET, "/v1/exports/\(id)/archive", token: mine.access)
                #expect([401, 403].contains(late.status), "\(late)")
                secrets.withLock { $0 += [mine.email, mine.access, mine.refresh, id] }
            }
            #expect(status == 0)
            let left = try FileManager.default.contentsOfDirectory(atPath: place.place.state.appendingPathComponent("exports").path)
            #expect(left.isEmpty, "\(left)")
            let log = try String(contentsOf: place.place.log, encoding: .utf8)
            for secret in secrets.withLock({ $0 }) { #expect(!log.contains(secret), "\(secret)") }
            let acts = try await Self.acts(place)
            for act in ["requested", "ready", "read", "removed"] {
                #expect(acts.contains { $0.contains(#""act":"export.\#(act)""#) }, "\(act)")
            }
            #expect(!acts.contains { $0.lowercased().contains(place.key(0).lowercased()) })
        }
    }

    @Test(
        "EX-3 after a kill during an export the next start removes the partial files, and an expired export is gone",
        arguments: SQLDialect.allCases)
    func killed(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 4, messagesOfOne: 20_000) { place in
            let status = try await place.place.serving(place.settings() + "export: {offering: on}\n") { server in
                let mine = try await place.signIn(0, server)
                _ = try await Self.request(mine, server)
                try await eventually { Self.files(place).contains { $0.hasSuffix("/tables") } }
                server.signal(SIGKILL)
            }
            #expect(status == 128 + SIGKILL && !Self.files(place).isEmpty)
            try await place.place.serving(place.settings() + "export: {offering: on, life: 1}\n") { server in
                #expect(Self.files(place).isEmpty, "\(Self.files(place))")
                let mine = try await place.signIn(0, server)
                let forgotten = try await server.ask(.GET, "/v1/exports", token: mine.access)
                #expect(forgotten.status == 404, "\(forgotten)")
                let id = try await Self.request(mine, server)
                try await eventually { try await server.ask(.GET, "/v1/exports/\(id)", token: mine.access).status == 404 }
                let late = try await server.ask(.GET, "/v1/exports/\(id)/archive", token: mine.access)
                #expect(late.status == 404, "\(late)")
                try await eventually { Self.files(place).isEmpty }
                // The audit log has its entry after the file is removed.
                try await eventually {
                    try await Self.acts(place).contains { $0.contains(#""reason":"expiry""#) && $0.contains(id) }
                }
                let acts = try await Self.acts(place)
                #expect(acts.contains { $0.contains(#""act":"export.ready""#) && $0.contains(id) }, "\(acts)")
            }
        }
    }

    @Test("EX-3 an erasure by another process removes the export that a server keeps")
    func elsewhere() async throws {
        try await ErasurePlace.with(.postgresql, people: 4) { place in
            try await place.place.serving(place.settings() + "export: {offering: on}\n") { server in
                let mine = try await place.signIn(0, server)
                let id = try await Self.request(mine, server)
                _ = try await Self.ended(id, mine, server)
                #expect(!Self.files(place).isEmpty)
                let erased = try await place.place.call(
                    ["erase", "--subject", place.key(0), "--yes", "--database", place.place.address, "--plan", "plan.yaml"])
                #expect(erased.status == 0, "\(erased)")
                try await eventually { Self.files(place).isEmpty }
            }
        }
    }
}
