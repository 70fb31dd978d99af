// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// A bucket: names of people, each with so many files.
private actor SharedBucket {
    var files: [String: Int]
    /// Why it cannot be read back; `nil` where it can.
    var trouble: ConnectorFault?

    init(_ files: [String: Int], trouble: ConnectorFault? = nil) {
        self.files = files
        self.trouble = trouble
    }

    func count(_ names: [String]) -> Int { names.compactMap { files[$0] }.reduce(0, +) }
    func empty(_ name: String) { files[name] = nil }
    func mend() { trouble = nil }
}

/// One process's connector to a bucket. Nothing beside a person's files shows that the place is right.
private actor DoubtingSystem: ReadingConnector {
    private let bucket: SharedBucket
    private var hasSeen = false
    /// The evidence with which it was called.
    private(set) var records: Set<PlaceRecord> = []
    nonisolated let declaration = ConnectorDeclaration(abilities: [.count, .verify])

    init(_ bucket: SharedBucket) { self.bucket = bucket }

    private func counted(_ request: ConnectorRequest) async throws -> Int {
        records.insert(request.record)
        let count = await bucket.count(request.names)
        if count > 0 { hasSeen = true }
        guard hasSeen || request.record != .nothing else { throw ConnectorFault.unproved("bucket", "it is empty") }
        return count
    }

    func count(_ request: ConnectorRequest) async throws -> Int? { try await counted(request) }

    func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        let count = try await counted(request)
        for name in request.names { await bucket.empty(name) }
        return count > 0 ? .erased(count) : .nothingThere
    }

    func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        if let trouble = await bucket.trouble { throw trouble }
        let count = try await counted(request)
        return count > 0 ? .left(count) : .gone
    }

    func read(_ request: ConnectorRequest, into sink: any ConnectorSink) async throws {
        try sink.begin("files.json")
        _ = try await counted(request)
        try sink.end()
    }
}

@Suite("Recorded erasures prove the place of a system")
struct PlaceRecordTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text, customer text);
        INSERT INTO people VALUES (1, 'one@example.org', 'a'), (2, 'two@example.org', 'b'), (3, 'three@example.org', 'c');
        """

    private static let settings = ["bucket": "b", "prefix": "users/{person}/"]

    private func system(_ settings: [String: String] = settings, _ person: SystemPlan.Person = .key) -> SystemPlan {
        SystemPlan(name: "bucket", kind: "imagined", person: person, settings: settings)
    }

    /// The engine of another process.
    private func engine(
        _ fixture: EngineFixture, _ bucket: SharedBucket, _ system: SystemPlan
    ) async throws -> (ErasureEngine, DoubtingSystem) {
        let connector = DoubtingSystem(bucket)
        let plan = try await fixture.plan { $0.systems = [system] }
        return (try await fixture.engine(plan, connectors: ["bucket": connector]), connector)
    }

    private func isParked(_ outcome: ErasureOutcome?) -> Bool {
        if case .parked(_, let cause)? = outcome { cause.contains("no evidence") } else { false }
    }

    @Test(
        "SY-1 BX-5 what an erasure found in a system proves the place to other processes, for its subject and for others",
        arguments: SQLDialect.allCases)
    func proved(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let bucket = SharedBucket(["1": 2])
            let before = try await engine(fixture, bucket, system()).0
            #expect(isParked(try await before.erase(["3"]).first))
            #expect(try await engine(fixture, bucket, system()).0.verify("2", extent: .none).unanswered["bucket"] != nil)
            #expect(try await before.erase(["1"]).first?.receipt?.erased["bucket"] == 2)

            let (own, first) = try await engine(fixture, bucket, system())
            let verified = try await own.verify("1", extent: .none)
            #expect(verified.unanswered.isEmpty && verified.left.isEmpty && verified.unread.isEmpty, "\(verified)")
            #expect(await first.records == [.nothing, .dataOfSubject])
            // These say nothing about the place.
            let lenient = system(Self.settings.merging(["empty": "refused", "mixed": "refused", "rate": "5"]) { $1 })
            let (others, second) = try await engine(fixture, bucket, lenient)
            #expect(try await others.preview("2").unreachable.isEmpty)
            let erased = try await others.erase(["2"]).first
            #expect(erased?.receipt?.isComplete == true, "\(String(describing: erased))")
            #expect(await second.records == [.nothing, .dataOfOthers])
            // The first try leaves no file behind.
            let manifest = try await others.export("3", to: fixture.folder + "/out")
            #expect(manifest.folders.map { "\($0.place) \($0.files)" } == ["bucket 1"], "\(manifest)")
            #expect(manifest.notExported.map(\.about) == ["erasure"], "the parked erasure may have taken data")
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder + "/out/systems/bucket").count == 1)
        }
    }

    @Test(
        "SY-1 what an erasure found proves no place of other settings, nor one for names of another kind",
        arguments: SQLDialect.allCases)
    func otherPlaces(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let bucket = SharedBucket(["1": 2])
            _ = try await engine(fixture, bucket, system()).0.erase(["1"])
            var moved = system()
            moved.secrets = ["key": .environment("OTHER_KEY")]
            let column = ColumnName(fixture.name("people"), "customer")
            let others = [
                system(["bucket": "b", "prefix": "user/{person}/"]), system(["bucket": "c", "prefix": "users/{person}/"]),
                system(Self.settings, .column(column)), moved,
            ]
            for other in others {
                let (looking, connector) = try await engine(fixture, bucket, other)
                #expect(try await looking.preview("2").unreachable.count == 1, "\(other)")
                #expect(await connector.records == [.nothing], "\(other)")
            }
            #expect(isParked(try await engine(fixture, bucket, others[0]).0.erase(["2"]).first))
        }
    }

    @Test("SY-1 what an erasure of another subject found counts for 90 days; that of the subject itself without an end")
    func aged() async throws {
        try await EngineFixture.with(.sqlite, Self.tables) { fixture in
            let bucket = SharedBucket(["1": 2])
            _ = try await engine(fixture, bucket, system()).0.erase(["1"])
            fixture.clock.now += 89 * 86_400
            #expect(try await engine(fixture, bucket, system()).0.preview("2").unreachable.isEmpty)
            fixture.clock.now += 2 * 86_400
            #expect(try await engine(fixture, bucket, system()).0.preview("2").unreachable.count == 1)
        }
    }

    @Test("BX-4 SY-1 a run that another process resumes after it deleted the files still knows the place", arguments: SQLDialect.allCases)
    func resumed(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let bucket = SharedBucket(["a": 2], trouble: .credentials("bucket", needs: "list"))
            let named = system(Self.settings, .column(ColumnName(fixture.name("people"), "customer")))
            let outcome = try await engine(fixture, bucket, named).0.erase(["1"]).first
            guard case .parked(let id, _)? = outcome else {
                Issue.record("\(String(describing: outcome))")
                return
            }
            #expect(await bucket.files.isEmpty)
            await bucket.mend()
            let (other, connector) = try await engine(fixture, bucket, named)
            let receipt = try #require(try await other.release(id).first?.receipt)
            #expect(receipt.erased["bucket"] == 2)
            #expect(await connector.records == [.nothing, .dataOfSubject])
        }
    }

    @Test("SY-1 a count of an earlier try, which may be about another place, is no evidence of the present one")
    func earlier() async throws {
        try await EngineFixture.with(.sqlite, Self.tables) { fixture in
            let opened = try await engine(fixture, SharedBucket([:]), system()).0
            let records = PlaceRecords(context: opened.context(ErasureOptions()), system: system())
            let counted = StepProgress(effect: 1, counts: ["found": 3])
            #expect(records.noting(counted, since: ["found": 3]).place == nil)
            #expect(records.noting(counted, since: [:]).place == records.place)
            #expect(records.noting(StepProgress(effect: 1, counts: ["found": 0]), since: [:]).place == nil)
        }
    }
}
