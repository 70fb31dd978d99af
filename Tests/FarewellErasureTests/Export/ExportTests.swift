// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("An export of one subject")
struct ExportTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, name text, mail text);
        CREATE TABLE posts (id integer PRIMARY KEY, author_id integer REFERENCES people (id) ON DELETE CASCADE, body text, \
        extra {json}, raw {bytes}, score numeric, photo text);
        CREATE TABLE reviews (id integer PRIMARY KEY, author_id integer REFERENCES people (id), \
        peer_name text, peer_note text, grade integer, body text);
        INSERT INTO people VALUES (1, 'Ann', 'ann@example.org'), (2, 'Bob', 'bob@example.org');
        INSERT INTO posts VALUES (1, 1, '=HYPERLINK("x")', '{"a": [1, "<b>"]}', NULL, -5, 'a.png'), \
        (2, 1, '<script>alert(1)</script>', NULL, NULL, 1.50, '../../secret'), (3, 1, '', NULL, NULL, NULL, NULL), \
        (4, 1, '-5', NULL, NULL, NULL, 'link.png'), (5, 2, 'of Bob', NULL, NULL, NULL, 'b.png');
        INSERT INTO reviews VALUES (1, 1, 'Bob', 'of Bob''s', 3, 'of Ann'), (2, 2, 'Ann', 'of Ann''s', 4, 'of Bob');
        """

    private static func plan(_ fixture: EngineFixture) async throws -> Plan {
        try await fixture.plan { plan in
            for table in plan.tables.indices where plan.tables[table].table == fixture.name("reviews") {
                plan.tables[table].rule = .anonymise
                plan.tables[table].label = "Reviews & <notes>"
                let rules: [String: ColumnRule] = ["author_id": .null, "body": .constant("removed")]
                for column in plan.tables[table].columns.indices {
                    let name = plan.tables[table].columns[column].name
                    plan.tables[table].columns[column].rule = rules[name] ?? .notPersonal
                    if name == "peer_note" { plan.tables[table].columns[column].export = false }
                    if name == "grade" { plan.tables[table].columns[column].export = true }
                }
            }
            plan.folders = [
                FolderPlan(
                    name: "photos", root: "photos", location: .column(ColumnName(fixture.name("posts"), "photo")))
            ]
        }
    }

    private static func with(_ dialect: SQLDialect, _ use: (EngineFixture, ErasureEngine) async throws -> Void) async throws {
        try await EngineFixture.with(dialect, script) { fixture in
            let photos = fixture.folder + "/photos"
            try FileManager.default.createDirectory(atPath: photos, withIntermediateDirectories: true)
            for (name, text) in [("a.png", "Ann's"), ("b.png", "Bob's")] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(photos)/\(name)"))
            }
            try Data("top s3cret".utf8).write(to: URL(fileURLWithPath: fixture.folder + "/secret"))
            try FileManager.default.createSymbolicLink(
                atPath: photos + "/link.png", withDestinationPath: fixture.folder + "/secret")
            try await use(fixture, try await fixture.engine(try await plan(fixture)))
        }
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    private static func everything(below path: String) throws -> [String: String] {
        var found: [String: String] = [:]
        for name in FileManager.default.enumerator(atPath: path)?.compactMap({ $0 as? String }) ?? [] {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
            if !isFolder.boolValue { found[name] = try text("\(path)/\(name)") }
        }
        return found
    }

    private static func table(_ name: String, _ dialect: SQLDialect) -> String {
        (dialect == .postgresql ? "tables/public." : "tables/") + name
    }

    @Test("EX-1 EX-2 rows, files, page and manifest hold the subject's data and nothing else", arguments: SQLDialect.allCases)
    func whole(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect) { fixture, engine in
            let before = try await fixture.everything()
            let output = fixture.folder + "/out"
            let manifest = try await engine.export("1", to: output)
            #expect(try await fixture.everything() == before)
            let files = try Self.everything(below: output)
            #expect(!files.values.contains { $0.contains("bob@example.org") || $0.contains("of Bob") || $0.contains("top s3cret") })
            #expect(files["files/photos/a.png"] == "Ann's" && files.keys.filter { $0.hasPrefix("files/photos/") }.count == 1)
            // Spreadsheets compute no text, and programs read each value as it is.
            let csv = try #require(files[Self.table("posts.csv", dialect)])
            #expect(csv.contains("1,1,\"'=HYPERLINK(\"\"x\"\")\",") && csv.contains("3,1,\"\",") && csv.contains("4,1,\"'-5\","))
            let written = try #require(files[Self.table("posts.json", dialect)])
            let rows = try #require(try JSONSerialization.jsonObject(with: Data(written.utf8)) as? [[String: Any]])
            let first = try #require(rows.first { $0["id"] as? Int == 1 })
            #expect(first["body"] as? String == "=HYPERLINK(\"x\")" && first["score"] as? Double == -5 && first["raw"] is NSNull)
            #expect(rows.count == 4)
            // Of a row that stays: what the erasure changes and what the plan adds.
            let reviews = try #require(files[Self.table("reviews.json", dialect)])
            #expect(reviews == "[\n{\"id\":1,\"author_id\":1,\"grade\":3,\"body\":\"of Ann\"}\n]\n")
            let omitted = try #require(manifest.tables.first { $0.rule == "anonymise" }?.omitted)
            #expect(omitted.map(\.about) == ["peer_name", "peer_note"] && Set(omitted.map(\.reason)).count == 2)
            #expect(manifest.notExported.contains { $0.about == "photos" && $0.reason.contains("exactly one file") })
            let page = try #require(files["index.html"])
            #expect(page.contains("Reviews &amp; &lt;notes&gt;") && page.contains("&lt;script&gt;alert(1)") && !page.contains("<script"))
            // The links of the page lead to files of the export.
            for address in page.matches(of: /href="([^"]*)"/) { #expect(files[String(address.1)] != nil, "\(address.1)") }
            let outcome = try #require(try await engine.erase(["1"]).first)
            let receipt = try #require(outcome.receipt)
            let told = receipt.steps.flatMap(\.places).map { "\($0.place) \($0.erased + $0.anonymised)" }
            let exported = manifest.tables.map { "\($0.place) \($0.rows)" } + manifest.folders.map { "\($0.place) \($0.files + 1)" }
            #expect(told.sorted() == exported.sorted(), "a link is erased and not followed")
            #expect(manifest.subject == receipt.subject && manifest.planFingerprint == receipt.planFingerprint)
        }
    }

    @Test("EX-1 an export into the subject's own folder is refused, and nothing is left there")
    func ownFolder() async throws {
        try await EngineFixture.with(
            .sqlite, "CREATE TABLE people (id integer PRIMARY KEY, name text); INSERT INTO people VALUES (1, 'Ann')"
        ) { fixture in
            let own = fixture.folder + "/uploads/1"
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(fileURLWithPath: own + "/x"))
            let plan = try await fixture.plan {
                $0.folders = [FolderPlan(name: "uploads", root: "uploads", location: .folder(template: "{subject}/"))]
            }
            let engine = try await fixture.engine(plan)
            #expect(try await engine.export("1", to: fixture.folder + "/out").folders.map(\.files) == [1])
            for output in ["out", "out.zip"] {
                let error = await #expect(throws: FarewellError.self) { try await engine.export("1", to: "\(own)/\(output)") }
                #expect(error?.code == "export.output")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: own) == ["x"])
        }
    }

    @Test("EX-1 a SQLite text is exported with its bytes after a zero byte")
    func zeroByte() async throws {
        try await EngineFixture.with(
            .sqlite, "CREATE TABLE people (id integer PRIMARY KEY, name text); INSERT INTO people VALUES (1, 'a' || char(0) || 'b')"
        ) { fixture in
            let output = fixture.folder + "/out"
            _ = try await fixture.engine().export("1", to: output)
            #expect(try Self.text(output + "/tables/people.json") == "[\n{\"id\":1,\"name\":\"a\\u0000b\"}\n]\n")
        }
    }

    @Test("EX-1 manifest and page say where an erasure began before the export was complete, because erased data is missing")
    func erasing() async throws {
        try await Self.with(.sqlite) { fixture, engine in
            _ = try await engine.erase(["1"])
            // The user registers again.
            try await fixture.run("INSERT INTO people VALUES (1, 'Ann', 'ann@example.org');")
            let again = try await engine.export("1", to: fixture.folder + "/again")
            #expect(!again.notExported.contains { $0.about == "erasure" }, "\(again.notExported)")
            try await fixture.run("UPDATE farewell_erasures SET state = 'verifying', finished_at = NULL;")
            let during = try await engine.export("1", to: fixture.folder + "/during")
            #expect(during.notExported.map(\.about).contains("erasure"))
            #expect(try Self.text(fixture.folder + "/during/index.html").contains("What it erased is missing."))
        }
        let id = UUID()
        let begun: Set<ErasureState> = [.fenced, .running, .verifying, .needsAttention, .done]
        for state in [ErasureState.requested, .grace, .cancelled] + begun {
            #expect(SubjectExport.isMissingErased(before: [:], after: [id: state]) == begun.contains(state), "\(state)")
        }
        #expect(!SubjectExport.isMissingErased(before: [id: .done], after: [id: .done]))
        #expect(SubjectExport.isMissingErased(before: [id: .grace], after: [id: .done]))
    }

    @Test("EX-1 EX-3 a separate key signs the manifest, and the check finds every change of a file")
    func signed() async throws {
        try await Self.with(.sqlite) { fixture, engine in
            let output = fixture.folder + "/out"
            _ = try await engine.export("1", to: output)
            let keys = try PublicKeyList(json: try engine.exportKeys)
            let good = try await ExportCheck(output).run(by: keys)
            #expect(good.wrong == [] && good.files == 9)
            await #expect(throws: FarewellError.self) { try await ExportCheck(output).run(by: engine.keys.publicKeys) }
            let file = output + "/index.html"
            for (path, code) in [(output + "-none", "export.missing"), (file + "/x", "export.missing"), (file, "export.not-one")] {
                let error = await #expect(throws: FarewellError.self) { try await ExportCheck(path).run(by: keys) }
                #expect(error?.code.rawValue == code && error?.message.contains("store") == false, "\(path)")
            }
            try Data("other".utf8).write(to: URL(fileURLWithPath: output + "/files/photos/a.png"))
            try FileManager.default.removeItem(atPath: output + "/tables/people.csv")
            try Data().write(to: URL(fileURLWithPath: output + "/more"))
            let wrong = try await ExportCheck(output).run(by: keys).wrong
            #expect(wrong == ["files/photos/a.png: was changed", "more: is not in the manifest", "tables/people.csv: is missing"])
            // Without the readable manifest or a list the signed manifest still tells what is missing.
            for name in ["manifest.json", "lists/photos.sha256"] { try FileManager.default.removeItem(atPath: "\(output)/\(name)") }
            let fewer = try await ExportCheck(output).run(by: keys).wrong
            #expect(fewer.contains("manifest.json: is missing") && fewer.contains("lists/photos.sha256: is missing"), "\(fewer)")
            #expect(fewer.contains("tables/people.csv: is missing"))
            try Data("{}".utf8).write(to: URL(fileURLWithPath: output + "/manifest.json"))
            #expect(try await ExportCheck(output).run(by: keys).wrong.contains("manifest.json: is not the signed manifest"))
            try FileManager.default.removeItem(atPath: output + "/manifest.jws")
            let error = await #expect(throws: FarewellError.self) { try await ExportCheck(output).run(by: keys) }
            #expect(error?.code == "export.not-one")
        }
    }

    @Test("EX-3 only the owner can read an export; it replaces nothing, and a failed or killed one leaves nothing")
    func folder() async throws {
        try await Self.with(.sqlite) { fixture, engine in
            let output = fixture.folder + "/out"
            let hidden = fixture.folder + "/.out.farewell-export"
            await #expect(throws: FarewellError.self) { try await engine.export("99", to: output) }
            #expect(!FileManager.default.fileExists(atPath: hidden) && !FileManager.default.fileExists(atPath: output))
            // The remains of a killed export, with a link that must not be followed.
            try FileManager.default.createDirectory(atPath: hidden + "/tables", withIntermediateDirectories: true)
            try Data("old".utf8).write(to: URL(fileURLWithPath: hidden + "/tables/old.csv"))
            try FileManager.default.createSymbolicLink(atPath: hidden + "/out", withDestinationPath: fixture.folder + "/photos")
            // While another one is writing it is let be.
            do {
                let other = try await ExportFolder.begin(at: fixture.folder + "/other", meter: ExportMeter())
                await #expect(throws: FarewellError.self) { try await engine.export("1", to: fixture.folder + "/other/") }
                await other.discard()
            }
            _ = try await engine.export("1", to: output)
            let files = try Self.everything(below: output)
            #expect(files["tables/old.csv"] == nil && FileManager.default.fileExists(atPath: fixture.folder + "/photos/b.png"))
            let mode = try FileManager.default.attributesOfItem(atPath: output)[.posixPermissions] as? Int
            #expect(mode == 0o700)
            for name in files.keys {
                let mode = try FileManager.default.attributesOfItem(atPath: "\(output)/\(name)")[.posixPermissions] as? Int
                #expect(mode == 0o600, "\(name)")
            }
            await #expect(throws: FarewellError.self) { try await engine.export("1", to: output) }
            #expect(try Self.everything(below: output) == files)
            for bad in ["", "/", ".", fixture.folder + "/..", fixture.folder + "/nowhere/out"] {
                await #expect(throws: FarewellError.self, "\(bad)") { try await engine.export("1", to: bad) }
            }
            #expect(!fixture.log.lines.contains { $0.contains("ann@example.org") })
        }
    }
}
