// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Evidence that a folder is the right place")
struct FolderProofTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text, avatar text);
        INSERT INTO people VALUES (3, 'three@example.org', 'avatars/3.png'), (4, 'four@example.org', 'avatars/4.png'),
          (5, 'five@example.org', NULL);
        """

    /// - Parameter entries: Files below the root.
    private func with(
        _ entries: [String], _ location: FolderPlan.Location?, mayBeEmpty: Bool = false,
        _ use: (EngineFixture, ErasureEngine) async throws -> Void
    ) async throws {
        try await EngineFixture.with(.sqlite, Self.script) { fixture in
            try put(entries, fixture)
            let plan = try await fixture.plan { plan in
                let column = FolderPlan.Location.column(ColumnName(plan.name("people"), "avatar"))
                plan.folders = [
                    FolderPlan(name: "photos", root: "photos", location: location ?? column, mayBeEmpty: mayBeEmpty)
                ]
            }
            try await use(fixture, try await fixture.engine(plan))
        }
    }

    private func put(_ entries: [String], _ fixture: EngineFixture) throws {
        let root = URL(fileURLWithPath: fixture.folder + "/photos")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for entry in entries {
            let file = root.appendingPathComponent(entry)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("photo".utf8).write(to: file)
        }
    }

    private func expectParked(_ subject: String, _ fixture: EngineFixture, _ engine: ErasureEngine) async throws {
        #expect(try await engine.preview(subject).unreachable.map(\.system) == ["photos"])
        #expect(try await !engine.verify(subject, extent: .none).unproved.isEmpty)
        let outcome = try await engine.erase([subject]).first
        guard case .parked(_, let cause)? = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(cause.contains("photos"))
        #expect(try await fixture.rows("SELECT id FROM people WHERE id = \(subject)") == [subject])
    }

    /// Whether the erasure of a person ends with a complete receipt.
    private func isComplete(_ engine: ErasureEngine, _ subject: String) async throws -> Bool {
        try await engine.erase([subject]).first?.receipt?.isComplete == true
    }

    @Test(
        "SY-1 a folder without an entry that the plan leads to parks the erasure before anything is deleted",
        arguments: [
            [], ["user_3/a.jpg", "user_4/b.jpg"], ["0004/a.jpg"], ["lost+found/x"],
        ])
    func unproved(_ entries: [String]) async throws {
        try await with(entries, .folder(template: "{subject}/")) { try await expectParked("3", $0, $1) }
    }

    @Test("SY-1 a column whose paths lead to no file of any person parks the erasure, and an empty column does not")
    func column() async throws {
        try await with(["3.png", "4.png"], nil) { fixture, engine in
            try await expectParked("3", fixture, engine)
            #expect(try await isComplete(engine, "5"))
        }
        try await with(["avatars/4.png"], nil) { _, engine in
            let isErased = try await isComplete(engine, "3")
            #expect(isErased)
        }
    }

    @Test(
        "SY-1 a person without files is erased where another has an entry, or where the plan allows an empty folder",
        arguments: [["4/a.jpg"], ["99/of-a-former-user.jpg"]])
    func proved(_ entries: [String]) async throws {
        try await with(entries, .folder(template: "{subject}/")) { _, engine in
            let unreachable = try await engine.preview("3").unreachable
            let isErased = try await isComplete(engine, "3")
            #expect(unreachable.isEmpty && isErased)
        }
        try await with([], .folder(template: "{subject}/"), mayBeEmpty: true) { _, engine in
            let isErased = try await isComplete(engine, "3")
            #expect(isErased)
        }
    }

    @Test("SY-1 a wrong end of the template parks; a recorded erasure that found files proves the folder")
    func recorded() async throws {
        try await with(["4/images/a.jpg"], .folder(template: "{subject}/photos/")) { fixture, engine in
            try await expectParked("3", fixture, engine)
        }
        try await with(["4/a.jpg"], .folder(template: "{subject}/")) { _, engine in
            for subject in ["4", "3"] {
                #expect(try await isComplete(engine, subject), "\(subject)")
            }
            let verified = try await engine.verify("4", extent: .none)
            #expect(verified.isClean, "\(verified)")
        }
    }

    @Test("SY-4 a root that is missing, or is a file, is named; an empty one has no entry")
    func roots() async throws {
        try await with([], nil) { fixture, _ in
            let location = FolderPlan.Location.folder(template: "{subject}/")
            func look(_ root: String) throws -> Bool {
                try FolderRoot(FolderPlan(name: "photos", root: root, location: location), base: fixture.folder).look()
            }
            #expect(try !look("photos"))
            try put(["1/a.jpg"], fixture)
            #expect(try look("photos"))
            #expect(throws: FarewellError.self) { try look("none") }
            #expect(throws: FarewellError.self) { try look("photos/1/a.jpg") }
        }
    }
}
