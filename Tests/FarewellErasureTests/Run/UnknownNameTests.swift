// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// A system without data, which counts and reads back.
private struct EmptySystem: Connector {
    let declaration = ConnectorDeclaration(abilities: [.count, .verify])

    func count(_ request: ConnectorRequest) async throws -> Int? { 0 }
    func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer { .nothingThere }
    func verify(_ request: ConnectorRequest) async throws -> ConnectorReading { .gone }
}

@Suite("Names that stood in a row that is gone")
struct UnknownNameTests {
    /// The app deleted the row of `lost`, and not the post.
    private static let script = """
        CREATE TABLE people (id text PRIMARY KEY, email text, avatar text, cloud text);
        CREATE TABLE posts (id integer PRIMARY KEY, person text REFERENCES people (id), body text);
        INSERT INTO people VALUES ('lost', 'lost@example.org', 'lost.png', 'c1'), ('plain', 'plain@example.org', NULL, NULL);
        INSERT INTO posts VALUES (1, 'lost', 'one'), (2, 'plain', 'two');
        PRAGMA foreign_keys = OFF;
        DELETE FROM people WHERE id = 'lost';
        PRAGMA foreign_keys = ON;
        """

    private func with(_ use: (EngineFixture, ErasureEngine) async throws -> Void) async throws {
        try await EngineFixture.with(.sqlite, Self.script) { fixture in
            try FileManager.default.createDirectory(
                atPath: fixture.folder + "/media", withIntermediateDirectories: true)
            try Data("photo".utf8).write(to: URL(fileURLWithPath: fixture.folder + "/media/lost.png"))
            let plan = try await fixture.plan { plan in
                let people = plan.name("people")
                plan.folders = [
                    FolderPlan(name: "avatars", root: "media", location: .column(ColumnName(people, "avatar")))
                ]
                plan.systems = [
                    SystemPlan(name: "cloud", kind: "imagined", person: .column(ColumnName(people, "cloud")), settings: [:])
                ]
            }
            try await use(fixture, try await fixture.engine(plan, connectors: ["cloud": EmptySystem()]))
        }
    }

    @Test("SY-1 where the row with the names is gone, preview, verification and receipt say that the names are unknown")
    func unknown() async throws {
        try await with { fixture, engine in
            let preview = try await engine.preview("lost")
            #expect(preview.unnamed == ["avatars", "cloud"])
            #expect(preview.uncounted == ["cloud"])
            let before = try await engine.verify("lost", extent: .none)
            #expect(before.unread == ["avatars", "cloud"])
            let receipt = try #require(try await engine.erase(["lost"]).first?.receipt)
            #expect(!receipt.isComplete)
            #expect(receipt.steps.filter { ["avatars", "cloud"].contains($0.store) }.map(\.outcome) == [.failed, .failed])
            let notes = receipt.notVerifiable.filter { $0.note.contains("avatars, cloud") }
            #expect(notes.count == 1)
            #expect(receipt.erased["posts"] == 1)
            #expect(try await engine.verify("lost", extent: .none).unread == ["avatars", "cloud"])
        }
    }

    @Test("SY-1 a column without a value in the person's own row names nothing, and the receipt is complete")
    func unset() async throws {
        try await with { _, engine in
            #expect(try await engine.preview("plain").unnamed == [])
            let receipt = try #require(try await engine.erase(["plain"]).first?.receipt)
            #expect(receipt.isComplete)
            #expect(
                receipt.steps.filter { ["avatars", "cloud"].contains($0.store) }.map(\.outcome) == [
                    .nothingThere, .nothingThere,
                ])
        }
    }
}
