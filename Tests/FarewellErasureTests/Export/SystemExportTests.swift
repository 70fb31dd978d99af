// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// A system whose data can be read: by name, entries with their contents; `nil` for one that is there and cannot be read.
private struct LegibleSystem: ReadingConnector {
    let entries: [String: [(name: String, text: String?)]]
    var fault: ConnectorFault?
    /// Names of values that it leaves out.
    var withheld: [String] = []
    let declaration = ConnectorDeclaration(abilities: [.count, .verify])

    func count(_ request: ConnectorRequest) -> Int? { nil }
    func erase(_ request: ConnectorRequest) -> ConnectorAnswer { .nothingThere }
    func verify(_ request: ConnectorRequest) -> ConnectorReading { .gone }

    func read(_ request: ConnectorRequest, into sink: any ConnectorSink) throws {
        if fault != nil { try sink.begin("half") }
        if let fault { throw fault }
        for name in withheld { try sink.leaveOut(.value(named: name)) }
        for item in request.items {
            try sink.begin(item)
            try sink.end()
        }
        for entry in request.names.flatMap({ entries[$0] ?? [] }) {
            try sink.begin(entry.name)
            guard let text = entry.text else { continue }
            for byte in text.utf8 { try sink.add([byte]) }
            try sink.end()
        }
    }
}

@Suite("Third-party data in an export")
struct SystemExportTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text, customer text);
        INSERT INTO people VALUES (1, 'ann@example.org', 'cus_1'), (2, 'bob@example.org', 'cus_2'), (3, 'cy@example.org', 'cus_2');
        """

    private static func with(
        _ systems: [String: any Connector], _ use: (EngineFixture, ErasureEngine) async throws -> Void
    ) async throws {
        try await EngineFixture.with(.sqlite, script) { fixture in
            let plan = try await fixture.plan { plan in
                plan.systems = ["bill/ing", "blind", "pool"].map {
                    SystemPlan(name: $0, kind: "imagined", person: .column(ColumnName(fixture.name("people"), "customer")))
                }
            }
            try await use(fixture, try await fixture.engine(plan, connectors: systems))
        }
    }

    private static let blind = LegibleSystem(entries: [:], fault: .credentials("blind", needs: "read"))

    @Test("EX-1 EX-3 systems that can be read are in the export under safe names, and the others are listed as left out")
    func systems() async throws {
        let hostile = ["../../etc/passwd", "a/b.jpg", "c/b.jpg", "", ".", "x\n<b>.txt", String(repeating: "é", count: 300)]
        let billing = LegibleSystem(entries: ["cus_1": hostile.map { ($0, "of Ann: \($0)") }, "cus_2": [("of Bob", "of Bob")]])
        try await Self.with(["bill/ing": billing, "blind": Self.blind, "pool": ImaginedSystem([:])]) { fixture, engine in
            let output = fixture.folder + "/out"
            let manifest = try await engine.export("1", to: output)
            let folder = try #require(manifest.folders.first { $0.place == "bill/ing" })
            #expect(folder.files == hostile.count && manifest.folders.count == 1)
            #expect(Set(manifest.notExported.map(\.about)) == ["blind", "pool"], "\(manifest.notExported)")
            let files = try FileManager.default.contentsOfDirectory(atPath: output + "/systems/bill_ing")
            #expect(files.count == hostile.count && files.contains("1-passwd") && files.contains("2-b.jpg") && files.contains("3-b.jpg"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: output + "/systems") == ["bill_ing"])
            let lists = try FileManager.default.contentsOfDirectory(atPath: output + "/lists")
            #expect(lists.sorted() == ["system.bill_ing.json", "system.bill_ing.sha256"])
            let index = try Data(contentsOf: URL(fileURLWithPath: output + "/lists/system.bill_ing.json"))
            let listed = try #require(try JSONSerialization.jsonObject(with: index) as? [[String: String]])
            #expect(listed.map { $0["name"] } == hostile)
            for entry in listed {
                let path = try #require(entry["file"])
                #expect(try String(contentsOfFile: "\(output)/\(path)", encoding: .utf8) == "of Ann: \(entry["name"] ?? "")")
            }
            let keys = try PublicKeyList(json: try engine.exportKeys)
            #expect(try await ExportCheck(output).run(by: keys).wrong == [])
            try Data("other".utf8).write(to: URL(fileURLWithPath: output + "/systems/bill_ing/1-passwd"))
            #expect(try await ExportCheck(output).run(by: keys).wrong == ["systems/bill_ing/1-passwd: was changed"])
            // A name of two users identifies neither, for an erasure and for an export.
            let shared = try await engine.export("2", to: fixture.folder + "/shared")
            #expect(shared.folders.first?.files == 0)
        }
    }

    @Test("EX-1 a folder and a system have lists of their own, also where their names are alike")
    func alike() async throws {
        try await EngineFixture.with(.sqlite, Self.script) { fixture in
            let own = fixture.folder + "/photos/1"
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(fileURLWithPath: own + "/x"))
            let plan = try await fixture.plan { plan in
                plan.systems = [
                    SystemPlan(name: "nul", kind: "imagined", person: .column(ColumnName(fixture.name("people"), "customer")))
                ]
                plan.folders = [FolderPlan(name: "system._nul", root: "photos", location: .folder(template: "{subject}/"))]
            }
            let billing = LegibleSystem(entries: ["cus_1": [("a", "of Ann")]])
            let engine = try await fixture.engine(plan, connectors: ["nul": billing])
            let output = fixture.folder + "/out"
            let manifest = try await engine.export("1", to: output)
            #expect(manifest.folders.map(\.list) == ["lists/_system._nul.sha256", "lists/system._nul.sha256"])
            #expect(manifest.folders.map(\.files) == [1, 1])
            let keys = try PublicKeyList(json: try engine.exportKeys)
            #expect(try await ExportCheck(output).run(by: keys).wrong == [])
        }
    }

    @Test("EX-1 EX-3 where some items of a system cannot be read, the others are exported, and the manifest counts the unread ones")
    func unreadable() async throws {
        let entries: [(name: String, text: String?)] = [("old", nil), ("a", "of Ann"), ("older", nil), ("b", "also"), ("last", nil)]
        let pool = LegibleSystem(entries: ["cus_1": [("old", nil)]])
        let billing = LegibleSystem(entries: ["cus_1": entries])
        try await Self.with(["bill/ing": billing, "blind": Self.blind, "pool": pool]) { fixture, engine in
            let output = fixture.folder + "/out"
            let manifest = try await engine.export("1", to: output)
            #expect(manifest.folders.map { "\($0.place) \($0.files)" }.sorted() == ["bill/ing 2", "pool 0"])
            let counted = manifest.notExported.filter { $0.about != "blind" }.map { "\($0.about) \($0.reason.prefix(7))" }
            #expect(counted.sorted() == ["bill/ing 3 items", "pool 1 item "])
            let files = try FileManager.default.contentsOfDirectory(atPath: output + "/systems/bill_ing")
            #expect(files.sorted() == ["1-a", "2-b"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: output + "/systems") == ["bill_ing"])
            let keys = try PublicKeyList(json: try engine.exportKeys)
            #expect(try await ExportCheck(output).run(by: keys).wrong == [])
        }
    }

    @Test("EX-1 EX-2 a plan leaves a system out, and the manifest and the page say so and name the values that were left out")
    func leftOut() async throws {
        var billing = LegibleSystem(entries: ["cus_1": [("a", "of Ann")]])
        billing.withheld = ["pushToken", "<b>otp</b>", "pushToken"]
        try await EngineFixture.with(.sqlite, Self.script) { fixture in
            let plan = try await fixture.plan { plan in
                plan.systems = ["billing", "files"].map {
                    SystemPlan(name: $0, kind: "imagined", person: .column(ColumnName(fixture.name("people"), "customer")))
                }
                plan.systems[1].export.isIncluded = false
            }
            let engine = try await fixture.engine(plan, connectors: ["billing": billing, "files": billing])
            let output = fixture.folder + "/out"
            let manifest = try await engine.export("1", to: output)
            #expect(manifest.folders.map(\.place) == ["billing"])
            let reasons = Dictionary(uniqueKeysWithValues: manifest.notExported.map { ($0.about, $0.reason) })
            #expect(reasons["files"] == "The plan leaves this system out of exports.")
            #expect(reasons["billing"] == "3 values left out as secrets, or by the plan: <b>otp</b>, pushToken.")
            let page = try String(contentsOfFile: output + "/index.html", encoding: .utf8)
            #expect(page.contains("leaves this system out") && page.contains("&lt;b&gt;otp") && !page.contains("<b>otp"))
        }
    }

    @Test("EX-1 EX-2 items that the app's database lists as the user's are read as an erasure deletes them")
    func owned() async throws {
        let script =
            Self.script + """
                CREATE TABLE objects (name text, owner text, bucket text);
                INSERT INTO objects VALUES ('mine.jpg', '1', 'a'), ('theirs.jpg', '2', 'a'), ('other.jpg', '1', 'b');
                """
        try await EngineFixture.with(.sqlite, script) { fixture in
            let plan = try await fixture.plan { plan in
                var system = SystemPlan(name: "files", kind: "imagined")
                system.owned = OwnedItems(
                    column: ColumnName(fixture.name("objects"), "name"), owners: ["owner"],
                    condition: LinkCondition([.init(column: "bucket", values: ["a"])]))
                plan.systems = [system]
            }
            let engine = try await fixture.engine(plan, connectors: ["files": LegibleSystem(entries: [:])])
            let output = fixture.folder + "/out"
            #expect(try await engine.export("1", to: output).folders.map(\.files) == [1])
            #expect(try FileManager.default.contentsOfDirectory(atPath: output + "/systems/files") == ["1-mine.jpg"])
        }
    }

    @Test("EX-1 EX-3 a system that does not answer fails the export, and nothing of it is left")
    func unavailable() async throws {
        let away = LegibleSystem(entries: [:], fault: .passing("pool", "no answer"))
        let billing = LegibleSystem(entries: ["cus_1": [("a", "of Ann")]])
        try await Self.with(["bill/ing": billing, "blind": Self.blind, "pool": away]) { fixture, engine in
            let output = fixture.folder + "/out"
            let error = await #expect(throws: FarewellError.self) { try await engine.export("1", to: output) }
            #expect(error?.code == "export.system" && error?.family == .tryAgain)
            let left = try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
            #expect(!left.contains { $0.contains("out") }, "\(left)")
        }
    }
}
