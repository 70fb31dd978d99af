// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// A system with items, some of which it identifies by marks.
private final class MarkedSystem: ReadingConnector {
    struct Item: Sendable {
        var name: String
        var text: String
        var mark: String?
    }

    let declaration = ConnectorDeclaration(abilities: [.count, .verify])
    let items: Guarded<[Item]>
    /// The names of items whose contents were read.
    let asked = Guarded<[String]>([])
    /// Called before and after each piece that is handed over.
    let step = Guarded<(@Sendable () throws -> Void)?>(nil)
    /// Thrown when all items are read.
    let fault = Guarded<ConnectorFault?>(nil)

    init(_ items: [Item]) { self.items = Guarded(items) }

    func count(_ request: ConnectorRequest) -> Int? { nil }
    func erase(_ request: ConnectorRequest) -> ConnectorAnswer { .nothingThere }
    func verify(_ request: ConnectorRequest) -> ConnectorReading { .gone }

    func read(_ request: ConnectorRequest, into sink: any ConnectorSink) throws {
        let step = step.withLock { $0 }
        for item in items.withLock({ $0 }) {
            try step?()
            if let mark = item.mark, try sink.takeOver(item.name, marked: mark) { continue }
            asked.withLock { $0.append(item.name) }
            try sink.begin(item.name)
            for byte in item.text.utf8 {
                try sink.add([byte])
                try step?()
            }
            if let mark = item.mark { try sink.end(marked: mark) } else { try sink.end() }
            try step?()
        }
        if let fault = fault.withLock({ $0 }) { throw fault }
    }
}

@Suite("An export that continues an interrupted one")
struct ContinuedExportTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        INSERT INTO people VALUES (1, 'ann@example.org'), (2, 'bob@example.org');
        """

    private static let items = [
        MarkedSystem.Item(name: "a/x", text: "one", mark: "1"), .init(name: "b", text: "two"), .init(name: "c/x", text: "six", mark: "1"),
    ]

    private struct Place {
        let fixture: EngineFixture
        let engine: ErasureEngine
        let store: MarkedSystem
        var output: String { fixture.folder + "/out" }
        var hidden: String { fixture.folder + "/.out.farewell-export" }

        func export(_ subject: String = "1", to name: String = "out") async throws -> ExportManifest {
            try await engine.export(subject, to: fixture.folder + "/" + name, interrupted: .continued)
        }

        var exists: Bool { FileManager.default.fileExists(atPath: hidden) }

        func write(_ text: String, to file: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: fixture.folder + "/uploads/1/" + file))
        }

        /// Copies the hidden folder at each step of the system, as a kill would leave it.
        func snapping(_ name: String, _ use: () async throws -> Void) async throws -> [String] {
            let copies = Guarded<[String]>([])
            let (hidden, folder) = (hidden, fixture.folder)
            store.step.withLock { step in
                step = {
                    let copy = copies.withLock { copies in
                        copies.append("\(folder)/\(name)-\(copies.count)")
                        return copies[copies.count - 1]
                    }
                    try FileManager.default.copyItem(atPath: hidden, toPath: copy)
                }
            }
            try await use()
            store.step.withLock { $0 = nil }
            return copies.withLock { $0 }
        }

        /// Puts a copy where a killed run would have left it. The sources of the files that are complete there.
        func restore(_ copy: String) throws -> Set<String> {
            try FileManager.default.copyItem(atPath: copy, toPath: hidden)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: hidden)
            let lists = FileManager.default.enumerator(atPath: hidden)?.compactMap { $0 as? String } ?? []
            let lines = try lists.filter { $0.hasSuffix(".read") }.flatMap { name in
                try String(contentsOfFile: "\(hidden)/\(name)", encoding: .utf8).split(separator: "\n").dropFirst()
            }
            return Set(lines.map { String($0.prefix(64)) })
        }

        /// Everything that is the same in each export.
        func contents() throws -> [String: Data] {
            var found: [String: Data] = [:]
            for name in FileManager.default.enumerator(atPath: output)?.compactMap({ $0 as? String }) ?? [] where name.contains("/") {
                found[name] = try? Data(contentsOf: URL(fileURLWithPath: "\(output)/\(name)"))
            }
            return found
        }

        func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }
    }

    private static func with(_ dialect: SQLDialect = .sqlite, _ use: (Place) async throws -> Void) async throws {
        try await EngineFixture.with(dialect, script) { fixture in
            // Long after the files were written.
            fixture.clock.now = Date(timeIntervalSinceNow: 3_600)
            try FileManager.default.createDirectory(atPath: fixture.folder + "/uploads/1", withIntermediateDirectories: true)
            let plan = try await fixture.plan { plan in
                plan.folders = [FolderPlan(name: "uploads", root: "uploads", location: .folder(template: "{subject}/"))]
                plan.systems = [SystemPlan(name: "store", kind: "imagined")]
            }
            let store = MarkedSystem(items)
            let place = Place(fixture: fixture, engine: try await fixture.engine(plan, connectors: ["store": store]), store: store)
            for name in ["p.txt", "q.txt"] { try place.write("file \(name)", to: name) }
            try await use(place)
        }
    }

    private static func check(_ copies: [String], _ expected: [String: Data], _ whole: ExportManifest, _ place: Place) async throws {
        for copy in copies {
            let complete = try place.restore(copy)
            place.store.asked.withLock { $0 = [] }
            let manifest = try await place.export()
            #expect(try place.contents() == expected && !place.exists, "\(copy)")
            #expect(manifest.earlier?.files ?? 0 == complete.count, "\(copy)")
            // Both files of the folder are complete before the system is read.
            #expect(place.store.asked.withLock { $0.count } == items.count - (complete.count - 2), "\(copy)")
            #expect(manifest.tables == whole.tables && manifest.folders == whole.folders)
            let keys = try PublicKeyList(json: try place.engine.exportKeys)
            #expect(try await ExportCheck(place.output).run(by: keys).wrong == [], "\(copy)")
            try place.remove(place.output)
        }
    }

    @Test(
        "EX-1 EX-3 killed at each step, once or twice, an export continues: nothing complete is read again, the result is the same",
        arguments: SQLDialect.allCases)
    func killed(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect) { place in
            let whole = Guarded<ExportManifest?>(nil)
            let copies = try await place.snapping("first") {
                let manifest = try await place.export()
                whole.withLock { $0 = manifest }
            }
            let first = try #require(whole.withLock { $0 })
            #expect(first.earlier == nil && copies.count == 15)
            let expected = try place.contents()
            let names = expected.keys.filter { $0.hasPrefix("systems/store/") }.map { $0.dropFirst("systems/store/".count) }
            #expect(names.sorted() == ["1-x", "2-b", "3-x"])
            try place.remove(place.output)
            try await Self.check(copies, expected, first, place)
            // The second run of the middle is killed as well.
            _ = try place.restore(copies[copies.count / 2])
            let again = try await place.snapping("second") { _ = try await place.export() }
            try place.remove(place.output)
            try await Self.check(again, expected, first, place)
        }
    }

    @Test("EX-1 an interrupted export's file is read again where its source or its own bytes have changed")
    func changed() async throws {
        try await Self.with { place in
            place.store.fault.withLock { $0 = .passing("store", "no answer") }
            await #expect(throws: FarewellError.self) { try await place.export() }
            place.store.items.withLock { items in
                items[0].text = "new"
                items[0].mark = "2"
            }
            try place.write("changed", to: "p.txt")
            // A bad disk: the same length, other bytes.
            try Data("SIX".utf8).write(to: URL(fileURLWithPath: place.hidden + "/systems/store/3-x"))
            place.store.asked.withLock { $0 = [] }
            place.store.fault.withLock { $0 = nil }
            place.fixture.clock.now += 3_600
            let manifest = try await place.export()
            #expect(manifest.earlier?.files == 1 && place.store.asked.withLock { $0 } == ["a/x", "b", "c/x"])
            let contents = try place.contents().mapValues { String(decoding: $0, as: UTF8.self) }
            #expect(contents["files/uploads/1/p.txt"] == "changed" && contents["files/uploads/1/q.txt"] == "file q.txt")
            #expect(contents["systems/store/1-x"] == "new" && contents["systems/store/3-x"] == "six")
            let page = try String(contentsOfFile: place.output + "/index.html", encoding: .utf8)
            #expect(page.contains("1 file of these was copied in an earlier run"))
        }
    }

    @Test("EX-1 EX-3 after a temporary failure only complete files stay, and only for the same export")
    func passing() async throws {
        try await Self.with { place in
            func interrupt() async throws {
                place.store.fault.withLock { $0 = .passing("store", "no answer") }
                let error = await #expect(throws: FarewellError.self) { try await place.export() }
                #expect(error?.code == "export.system")
                place.store.fault.withLock { $0 = nil }
                place.store.asked.withLock { $0 = [] }
            }
            try await interrupt()
            let left = try FileManager.default.contentsOfDirectory(atPath: place.hidden)
            #expect(left.sorted() == [".read", "files", "systems"])
            let mode = try FileManager.default.attributesOfItem(atPath: place.hidden)[.posixPermissions] as? Int
            #expect(mode == 0o700)
            // No name is in the list.
            let list = try String(contentsOfFile: place.hidden + "/.read", encoding: .utf8)
            #expect(list.split(separator: "\n").count == 5 && !list.contains("store") && !list.contains("p.txt"))
            #expect(try await place.export().earlier?.files == 4)
            #expect(place.store.asked.withLock { $0 } == ["b"])
            try place.remove(place.output)

            try await interrupt()
            let other = try await place.export("2")
            #expect(other.earlier == nil && place.store.asked.withLock { $0.count } == 3, "another subject's export begins anew")
            try place.remove(place.output)

            try await interrupt()
            _ = try await place.engine.export("1", to: place.output)
            #expect(place.store.asked.withLock { $0.count } == 3 && !place.exists)
            let folder = try FileManager.default.subpathsOfDirectory(atPath: place.output)
            #expect(!folder.contains { $0.hasPrefix(".") })
            try place.remove(place.output)

            // Where others could have written it, it is not taken.
            try await interrupt()
            try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: place.hidden)
            #expect(try await place.export().earlier == nil)
        }
    }

    @Test("EX-1 EX-3 an archive continues as well, and contains nothing but the export")
    func archive() async throws {
        try await Self.with { place in
            place.store.fault.withLock { $0 = .passing("store", "no answer") }
            await #expect(throws: FarewellError.self) { try await place.export(to: "out.zip") }
            place.store.fault.withLock { $0 = nil }
            #expect(try await place.export(to: "out.zip").earlier?.files == 4)
            let archive = try Data(contentsOf: URL(fileURLWithPath: place.fixture.folder + "/out.zip"))
            func contains(_ text: String) -> Bool { archive.range(of: Data(text.utf8)) != nil }
            #expect(contains("out/systems/store/1-x") && !contains("/.read") && !contains("/.earlier"))
            let left = try FileManager.default.contentsOfDirectory(atPath: place.fixture.folder)
            #expect(!left.contains { $0.hasSuffix(".farewell-export") })
        }
    }

    @Test("EX-3 a permanent failure, a cancelled export and a failure before anything is complete leave nothing")
    func nothing() async throws {
        try await Self.with { place in
            place.store.fault.withLock { $0 = .refused("store", "it will not") }
            await #expect(throws: FarewellError.self) { try await place.export() }
            #expect(!place.exists)
            place.store.fault.withLock { $0 = nil }
            place.store.step.withLock { $0 = { withUnsafeCurrentTask { $0?.cancel() } } }
            let cancelled = Task { try await place.export() }
            await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
            #expect(!place.exists && !FileManager.default.fileExists(atPath: place.output))
            place.store.step.withLock { $0 = nil }
            place.store.items.withLock { $0 = [] }
            for name in ["p.txt", "q.txt"] { try place.remove(place.fixture.folder + "/uploads/1/" + name) }
            place.store.fault.withLock { $0 = .passing("store", "no answer") }
            await #expect(throws: FarewellError.self) { try await place.export() }
            #expect(!place.exists)
        }
    }

    @Test("EX-1 a file that has just changed does not count as unchanged, since its times may not show the next change")
    func recent() async throws {
        try await Self.with { place in
            let first = try FileManager.default.attributesOfItem(atPath: place.fixture.folder + "/uploads/1/p.txt")
            place.fixture.clock.now = try #require(first[.modificationDate] as? Date)
            place.store.items.withLock { $0 = [Self.items[0]] }
            place.store.fault.withLock { $0 = .passing("store", "no answer") }
            await #expect(throws: FarewellError.self) { try await place.export() }
            place.store.fault.withLock { $0 = nil }
            #expect(try await place.export().earlier?.files == 1)
        }
    }
}
