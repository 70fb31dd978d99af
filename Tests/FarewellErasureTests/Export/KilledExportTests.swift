// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// A system with two items, one of which it identifies by a mark.
private struct TwoItems: ReadingConnector {
    let declaration = ConnectorDeclaration(abilities: [.count, .verify])

    func count(_ request: ConnectorRequest) -> Int? { nil }
    func erase(_ request: ConnectorRequest) -> ConnectorAnswer { .nothingThere }
    func verify(_ request: ConnectorRequest) -> ConnectorReading { .gone }

    func read(_ request: ConnectorRequest, into sink: any ConnectorSink) throws {
        for (name, mark) in [("a", "1"), ("b", nil)] {
            if let mark, try sink.takeOver(name, marked: mark) { continue }
            try sink.begin(name)
            try sink.add(Array(name.utf8))
            if let mark { try sink.end(marked: mark) } else { try sink.end() }
        }
    }
}

@Suite("An export that is killed")
struct KilledExportTests {
    /// Everything below the folder of exports, by path; folders have no content.
    private typealias State = [String: Data?]

    private struct Place {
        let fixture: EngineFixture
        let engine: ErasureEngine
        let name: String
        let interrupted: InterruptedExport
        var folder: String { fixture.folder + "/exports" }

        static func state(of folder: String) -> State {
            var state: State = [:]
            for path in FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) ?? [] {
                let whole = folder + "/" + path
                var isFolder: ObjCBool = false
                _ = FileManager.default.fileExists(atPath: whole, isDirectory: &isFolder)
                state.updateValue(isFolder.boolValue ? nil : FileManager.default.contents(atPath: whole), forKey: path)
            }
            return state
        }

        /// The disk as a killed process left it.
        func restore(_ state: State) throws {
            try? FileManager.default.removeItem(atPath: folder)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (path, content) in state.sorted(by: { $0.key < $1.key }) {
                let whole = folder + "/" + path
                if let content {
                    let rights: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
                    let isMade = FileManager.default.createFile(atPath: whole, contents: content, attributes: rights)
                    try #require(isMade, "\(path)")
                } else {
                    try FileManager.default.createDirectory(
                        atPath: whole, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                }
            }
        }

        /// The states before each change on the disk, each once, in their order.
        func export(watching: Bool = true) async throws -> [State] {
            let states = Guarded<[State]>([])
            let folder = folder
            let meter = ExportMeter {
                guard watching else { return }
                let state = Self.state(of: folder)
                states.withLock { if !$0.contains(state) { $0.append(state) } }
            }
            _ = try await engine.export("1", to: folder + "/" + name, meter: meter, interrupted: interrupted)
            return states.withLock { $0 }
        }

        /// The contents under the export's name: nothing, or the whole.
        func visible() async throws -> Set<String>? {
            let shown = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }
            guard !shown.isEmpty else { return nil }
            #expect(shown == [name])
            if name.hasSuffix(".zip") {
                let bytes = try Data(contentsOf: URL(filePath: folder + "/" + name))
                let end = try #require(bytes.range(of: Data("PK\u{5}\u{6}".utf8), options: .backwards))
                return ["\(bytes[end.lowerBound + 10]) entries"]
            }
            let keys = try PublicKeyList(json: try engine.exportKeys)
            #expect(try await ExportCheck(folder + "/" + name).run(by: keys).wrong == [])
            return Set(Self.state(of: folder).keys)
        }
    }

    private static func with(_ name: String, _ interrupted: InterruptedExport, _ use: (Place) async throws -> Void) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            INSERT INTO people VALUES (1, 'ann@example.org'), (2, 'bob@example.org');
            """
        try await EngineFixture.with(.sqlite, script) { fixture in
            // Long after the file was written.
            fixture.clock.now = Date(timeIntervalSinceNow: 3_600)
            for folder in ["uploads/1", "exports"] {
                try FileManager.default.createDirectory(atPath: fixture.folder + "/" + folder, withIntermediateDirectories: true)
            }
            try Data("file".utf8).write(to: URL(fileURLWithPath: fixture.folder + "/uploads/1/p.txt"))
            let plan = try await fixture.plan { plan in
                plan.folders = [FolderPlan(name: "uploads", root: "uploads", location: .folder(template: "{subject}/"))]
                plan.systems = [SystemPlan(name: "store", kind: "imagined")]
            }
            let engine = try await fixture.engine(plan, connectors: ["store": TwoItems()])
            try await use(Place(fixture: fixture, engine: engine, name: name, interrupted: interrupted))
        }
    }

    @Test(
        "EX-1 EX-3 killed before any change on the disk, an export shows nothing or the whole, and the same command completes it",
        arguments: ["out", "out.zip"], [InterruptedExport.removed, .continued])
    func killed(_ name: String, _ interrupted: InterruptedExport) async throws {
        try await Self.with(name, interrupted) { place in
            let states = try await place.export()
            let whole = try #require(try await place.visible())
            #expect(states.count > 15 && states.first?.isEmpty == true, "\(states.count)")
            // Each state for one of the two ways to go on, in turn.
            let isSecond = interrupted == .continued
            let part = { (states: [State]) in states.enumerated().filter { $0.offset.isMultiple(of: 2) != isSecond }.map(\.element) }
            try await Self.check(part(states), whole, place)
            // The run that follows a kill is killed as well.
            let middle = try #require(states.dropFirst(states.count / 2).first)
            try place.restore(middle)
            let again = try await place.export()
            try await Self.check(part(again), whole, place)
            // A run that removes what a killed one left is killed amid that: any part of it may be missing.
            let last = try #require(states.last { $0.keys.contains(".\(name).farewell-export/manifest.json") })
            let parts = last.keys.filter { part in !last.keys.contains { $0.hasPrefix(part + "/") } }
            try await Self.check(parts.map { part in last.filter { $0.key != part } }, whole, place)
        }
    }

    private static func check(_ states: [State], _ whole: Set<String>, _ place: Place) async throws {
        for (number, state) in states.enumerated() {
            try place.restore(state)
            let shown = try await place.visible()
            #expect(shown == nil || shown == whole, "state \(number): \(state.keys.sorted())")
            if shown == nil {
                _ = try await place.export(watching: false)
            } else {
                // It is complete already; what is hidden beside it is removed.
                let error = await #expect(throws: FarewellError.self) { try await place.export(watching: false) }
                #expect(error?.code == "export.exists")
            }
            #expect(try await place.visible() == whole, "state \(number)")
            let left = try FileManager.default.contentsOfDirectory(atPath: place.folder)
            #expect(left == [place.name], "state \(number): \(left)")
        }
    }
}
