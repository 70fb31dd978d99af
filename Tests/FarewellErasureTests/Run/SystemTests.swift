// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
@testable import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// A system in memory: names of people, each with so many entries.
actor ImaginedSystem: Connector {
    private(set) var entries: [String: Int]
    private(set) var keys: [String] = []
    private var faults: [ConnectorFault]
    /// Why it cannot be looked at; `nil` where it can.
    private var veil: ConnectorFault?
    /// The state of the database at the first call to erase.
    private(set) var sight: String?
    private let look: (@Sendable () async throws -> String)?
    nonisolated let declaration: ConnectorDeclaration

    init(
        _ entries: [String: Int], faults: [ConnectorFault] = [], abilities: Set<ConnectorDeclaration.Ability> = [.count, .verify],
        look: (@Sendable () async throws -> String)? = nil
    ) {
        self.entries = entries
        self.faults = faults
        self.look = look
        declaration = ConnectorDeclaration(
            abilities: abilities, remarks: [ReceiptNote(about: "imagined", note: "It leaves something to others.")])
    }

    func mend() { faults = [] }
    func hide(behind fault: ConnectorFault?) { veil = fault }
    func put(_ name: String) { entries[name, default: 0] += 1 }

    func count(_ request: ConnectorRequest) -> Int? { request.names.compactMap { entries[$0] }.reduce(0, +) }

    /// One entry at a time, so that there is a cursor.
    func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        if sight == nil, let look { sight = try await look() }
        keys.append(request.key)
        if !faults.isEmpty { throw faults[0] }
        guard let name = request.names.first(where: { (entries[$0] ?? 0) > 0 }) else { return .nothingThere }
        entries[name, default: 0] -= 1
        if entries[name] == 0 { entries[name] = nil }
        return .more(1, cursor: "after an entry of \(name)")
    }

    func verify(_ request: ConnectorRequest) throws -> ConnectorReading {
        if let veil { throw veil }
        let left = count(request) ?? 0
        return left == 0 ? .gone : .left(left)
    }
}

@Suite("External systems are steps of the run")
struct SystemTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text, customer text);
        INSERT INTO people VALUES (1, 'one@example.org', 'cus_1'), (2, 'two@example.org', 'cus_2'), \
        (3, 'three@example.org', 'cus_both'), (4, 'four@example.org', 'cus_both');
        """

    private func plan(_ fixture: EngineFixture, _ systems: [SystemPlan]) async throws -> Plan {
        try await fixture.plan { $0.systems = systems }
    }

    private func billing(_ fixture: EngineFixture) -> SystemPlan {
        SystemPlan(name: "billing", kind: "imagined", person: .column(ColumnName(fixture.name("people"), "customer")))
    }

    private let pool = SystemPlan(name: "pool", kind: "imagined", stage: .identity)

    private func engine(
        _ fixture: EngineFixture, _ plan: Plan, _ connectors: [String: any Connector], owner: String = "here:1:a",
        dead: Set<String> = []
    ) async throws -> ErasureEngine {
        let clock = fixture.clock
        let environment = EngineEnvironment(
            now: { clock.now }, makeIdentifier: { UUID() },
            // Renewing a lease waits for good; the pauses between tries do not wait at all.
            sleep: { if $0 >= .seconds(3) { try await ContinuousClock().sleep(for: $0) } }, owner: owner,
            isDead: { dead.contains($0) }, log: fixture.log.logger)
        return try await ErasureEngine.open(
            fixture.database, plan: plan, folder: fixture.folder, state: fixture.state, connectors: connectors,
            environment: environment)
    }

    @Test(
        "SV-2 BX-5 systems are erased before the rows, the sign-in system after them, and the receipt lists all",
        arguments: SQLDialect.allCases)
    func order(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let look: @Sendable () async throws -> String = { "\(try await fixture.count("people"))" }
            let first = ImaginedSystem(["cus_1": 3, "cus_2": 1], look: look)
            let last = ImaginedSystem(["1": 1, "11": 1], look: look)
            let plan = try await plan(fixture, [pool, billing(fixture)])
            let engine = try await engine(fixture, plan, ["billing": first, "pool": last])
            let preview = try await engine.preview("1")
            #expect(preview.places.filter { ["billing", "pool"].contains($0.place) }.map(\.count).sorted() == [1, 3])
            let outcome = try #require(try await engine.erase(["1"]).first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            #expect(receipt.erased == ["billing": 3, "people": 1, "pool": 1])
            #expect(receipt.steps.map(\.store) == ["billing", dialect.rawValue, "pool"])
            #expect(receipt.isComplete && !receipt.outOfScope.isEmpty)
            #expect(await first.sight == "4")
            #expect(await last.sight == "3")
            #expect(await first.entries == ["cus_2": 1])
            #expect(await last.entries == ["11": 1])
            // P3: whatever is sent again carries the same key, and another step another.
            #expect(Set(await first.keys) == ["\(receipt.id.uuidString.lowercased())/system: billing"])
        }
    }

    @Test(
        "SV-2 F14 one system's refusal stops no other; rows and account stay, and a release completes the run",
        arguments: SQLDialect.allCases)
    func failure(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let broken = ImaginedSystem(["cus_1": 1], faults: [.credentials("billing", needs: "customers: write")])
            let sound = ImaginedSystem(["1": 2])
            let last = ImaginedSystem(["1": 1])
            let mail = SystemPlan(name: "mail", kind: "imagined")
            let plan = try await plan(fixture, [billing(fixture), mail, pool])
            let engine = try await engine(fixture, plan, ["billing": broken, "mail": sound, "pool": last])
            let outcome = try #require(try await engine.erase(["1"]).first)
            guard case .parked(let id, let cause) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(cause.contains("credentials") && cause.contains("customers: write"), "\(cause)")
            #expect(await sound.entries.isEmpty)
            #expect(await last.entries == ["1": 1])
            #expect(try await fixture.count("people") == 4)
            let steps = try #require(try await engine.status(of: id)).steps
            #expect(steps.first { $0.name == "system: mail" }?.state == .done)
            #expect(steps.first { $0.name == "system: billing" }?.state == .running)
            await broken.mend()
            let receipt = try #require(try await engine.release(id).first?.receipt)
            #expect(receipt.erased == ["billing": 1, "mail": 2, "people": 1, "pool": 1])
            #expect(await last.entries.isEmpty)
        }
    }

    @Test(
        "the sign-in system is called only after the rows are read back as deleted, also where they are swept first",
        arguments: SQLDialect.allCases)
    func identityStays(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let trigger = "CREATE TRIGGER keep BEFORE DELETE ON people FOR EACH ROW WHEN (OLD.id = 1) "
            let script =
                dialect == .sqlite
                ? [trigger + "BEGIN SELECT RAISE(IGNORE); END"]
                : [
                    "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
                    trigger + "EXECUTE FUNCTION keep()",
                ]
            try await fixture.database.withConnection { connection in
                for statement in script { _ = try await connection.run(SQLStatement(statement)) }
            }
            let last = ImaginedSystem(["1": 1], look: { "\(try await fixture.count("people"))" })
            let plan = try await plan(fixture, [pool])
            let outcome = try #require(try await engine(fixture, plan, ["pool": last]).erase(["1"]).first)
            guard case .parked(let id, let cause) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(cause.contains("people (1)"), "\(cause)")
            #expect(await last.keys.isEmpty, "it was asked to erase")
            #expect(await last.entries == ["1": 1])
            try await fixture.run("DROP TRIGGER keep\(dialect == .postgresql ? " ON people" : "")")
            let released = try await engine(fixture, plan, ["pool": last]).release(id)
            let receipt = try #require(released.first?.receipt, "\(released)")
            #expect(receipt.erased == ["people": 1, "pool": 1])
            #expect(await last.sight == "3", "the rows went first")
            #expect(await last.entries.isEmpty)
        }
    }

    @Test(
        "F1 F10 P3 another worker continues with a temporarily failing system from its cursor, with the same key",
        arguments: SQLDialect.allCases)
    func resumed(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let system = ImaginedSystem(["cus_1": 3], faults: [.passing("billing", "status 503")])
            let plan = try await plan(fixture, [billing(fixture)])
            let first = try await engine(fixture, plan, ["billing": system])
            let outcome = try #require(try await first.erase(["1"]).first)
            guard case .unfinished = outcome else {
                Issue.record("\(outcome)")
                return
            }
            await system.mend()
            let taking = try await engine(fixture, plan, ["billing": system], owner: "here:2:b", dead: ["here:1:a"])
            let receipt = try #require(try await taking.resume(takingOver: true).first?.receipt)
            #expect(receipt.erased == ["billing": 3, "people": 1])
            #expect(Set(await system.keys).count == 1)
        }
    }

    @Test(
        "O4 BX-2 SY-4 a name that another user also has stays in the system, and preview and receipt say so",
        arguments: SQLDialect.allCases)
    func shared(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let system = ImaginedSystem(["cus_both": 2])
            let engine = try await engine(fixture, try await plan(fixture, [billing(fixture)]), ["billing": system])
            let preview = try await engine.preview("3")
            #expect(preview.shared == ["billing": 1] && preview.places.first { $0.place == "billing" }?.count == 0)
            let receipt = try #require(try await engine.erase(["3"]).first?.receipt)
            #expect(await system.entries == ["cus_both": 2])
            #expect(receipt.steps.first?.outcome == .retained)
            #expect(ReceiptText.text(receipt).contains("Not everything was erased"))
            #expect(receipt.notVerifiable.contains { $0.about == ReceiptNote.sharedNames })
            _ = try await engine.erase(["4"])
            #expect(await system.entries.isEmpty)
        }
    }

    @Test(
        "a system may know users by its own number or UUID; a name that two users share stays until the second leaves",
        arguments: SQLDialect.allCases, ["integer", "bigint", "uuid"])
    func typedNames(_ dialect: SQLDialect, _ type: String) async throws {
        let name = { (number: Int) in type == "uuid" ? "00000000-0000-4000-8000-00000000000\(number)" : "\(number)" }
        let rows = [(1, 1), (2, 7), (3, 7)].map { "(\($0), '\(name($1))')" }.joined(separator: ", ")
        let tables = """
            CREATE TABLE people (id integer PRIMARY KEY, customer \(type));
            INSERT INTO people VALUES \(rows);
            """
        try await EngineFixture.with(dialect, tables) { fixture in
            let system = ImaginedSystem([name(1): 2, name(7): 1])
            let engine = try await engine(fixture, try await plan(fixture, [billing(fixture)]), ["billing": system])
            #expect(try await engine.erase(["1"]).first?.receipt?.erased == ["billing": 2, "people": 1])
            #expect(try await engine.erase(["2"]).first?.receipt?.erased == ["people": 1])
            #expect(await system.entries == [name(7): 1])
            #expect(try await engine.erase(["3"]).first?.receipt?.erased == ["billing": 1, "people": 1])
        }
    }

    @Test(
        "a name that two subjects erased together share is erased when both are gone, and is not reported as kept",
        arguments: SQLDialect.allCases, [[.count], [.count, .verify]] as [Set<ConnectorDeclaration.Ability>])
    func together(_ dialect: SQLDialect, _ abilities: Set<ConnectorDeclaration.Ability>) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let system = ImaginedSystem(["cus_both": 2], abilities: abilities)
            let engine = try await engine(fixture, try await plan(fixture, [billing(fixture)]), ["billing": system])
            let outcomes = try await engine.erase(["3", "4"])
            #expect(outcomes.map(\.word) == ["done", "done"], "\(outcomes)")
            #expect(await system.entries.isEmpty)
            let receipts = outcomes.compactMap(\.receipt)
            #expect(receipts.compactMap { $0.erased["billing"] }.reduce(0, +) == 2)
            #expect(!receipts.flatMap(\.notVerifiable).contains { $0.about == ReceiptNote.sharedNames })
        }
    }

    @Test(
        "when two users leave together, a shared name is erased with the rows that are erased last, under its own key",
        arguments: SQLDialect.allCases, [[.count], [.count, .verify]] as [Set<ConnectorDeclaration.Ability>])
    func sameMoment(_ dialect: SQLDialect, _ abilities: Set<ConnectorDeclaration.Ability>) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let system = ImaginedSystem(["cus_both": 2], abilities: abilities)
            let plan = try await plan(fixture, [billing(fixture)])
            let other = try await engine(fixture, plan, ["billing": system], owner: "here:2:b")
            let outcomes = try await engine(fixture, plan, ["billing": system]).erase(["3"]) { progress in
                guard progress.event == .finished(step: "system: billing") else { return }
                do {
                    let receipt = try #require(try await other.erase(["4"]).first?.receipt)
                    let isShared = receipt.notVerifiable.contains { $0.about == ReceiptNote.sharedNames }
                    #expect(isShared, "the first one's row is still there")
                    #expect(await system.entries == ["cus_both": 2])
                } catch {
                    Issue.record("\(error)")
                }
            }
            let receipt = try #require(outcomes.first?.receipt, "\(outcomes)")
            #expect(receipt.erased == ["billing": 2, "people": 1])
            #expect(!receipt.notVerifiable.contains { $0.about == ReceiptNote.sharedNames })
            #expect(await system.entries.isEmpty)
            let key = try #require(await system.keys.last)
            #expect(key == "\(receipt.id.uuidString.lowercased())/system: billing/late/0")
            #expect(SystemErasure.request(ofKey: key, step: "system: billing")?.id == receipt.id)
            #expect(SystemErasure.request(ofKey: key, step: "system: bill") == nil)
        }
    }

    @Test("several subjects at once: a failure for one subject in a system affects no other subject")
    func group() async throws {
        try await EngineFixture.with(.sqlite, Self.tables) { fixture in
            let system = ImaginedSystem(["cus_2": 1, "cus_1": 1], abilities: [.verify])
            let picky = PickySystem(of: system, refusing: "cus_1")
            let engine = try await engine(fixture, try await plan(fixture, [billing(fixture)]), ["billing": picky])
            let outcomes = try await engine.erase(["1", "2"])
            #expect(outcomes.compactMap(\.receipt).count == 1)
            #expect(try await fixture.rows("SELECT id FROM people") == ["1", "3", "4"])
        }
    }

    @Test("a parked run reports its own reason, also when the next step stops the others", arguments: SQLDialect.allCases)
    func groupStopped(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let trigger = "CREATE TRIGGER kept BEFORE DELETE ON people FOR EACH ROW WHEN (OLD.id = 2) "
            let script =
                dialect == .sqlite
                ? [trigger + "BEGIN SELECT RAISE(ABORT, 'no'); END"]
                : [
                    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'",
                    trigger + "EXECUTE FUNCTION refuse()",
                ]
            try await fixture.database.withConnection { connection in
                for statement in script { _ = try await connection.run(SQLStatement(statement)) }
            }
            let picky = PickySystem(of: ImaginedSystem(["cus_2": 1, "cus_1": 1], abilities: [.verify]), refusing: "cus_1")
            let engine = try await engine(fixture, try await plan(fixture, [billing(fixture)]), ["billing": picky])
            let outcomes = try await engine.erase(["1", "2"])
            #expect(outcomes.map(\.word) == ["parked", "parked"], "\(outcomes)")
            #expect(outcomes.count { $0.cause?.contains("does not like") == true } == 1, "\(outcomes)")
        }
    }

    @Test("BX-1 a system without a connector, or with a column that leads to no user, refuses the run")
    func unconnected() async throws {
        try await EngineFixture.with(.sqlite, Self.tables) { fixture in
            let plan = try await plan(fixture, [pool])
            await #expect(throws: FarewellError.self) { try await engine(fixture, plan, [:]) }
            var wrong = billing(fixture)
            wrong.person = .column(ColumnName(fixture.name("people"), "custmer"))
            let odd = try await self.plan(fixture, [wrong])
            await #expect(throws: FarewellError.self) { try await engine(fixture, odd, ["billing": ImaginedSystem([:])]) }
        }
    }

    @Test("P9 while a system is half done, no data of the subject is in the control store")
    func sealedCursor() async throws {
        try await EngineFixture.with(.sqlite, Self.tables) { fixture in
            let system = ImaginedSystem(["cus_1": 2])
            let picky = PickySystem(of: system, refusing: "cus_1", after: 1)
            let engine = try await engine(fixture, try await plan(fixture, [billing(fixture)]), ["billing": picky])
            _ = try await engine.erase(["1"])
            let kept = try await fixture.rows("SELECT * FROM \(fixture.control("steps"))").joined()
            #expect(kept.contains("cursor") && !kept.contains("cus_1") && !kept.contains("after an entry"), "\(kept)")
        }
    }

    @Test("a plan's systems are read and written, and a secret in the plan is refused without being shown")
    func planFile() async throws {
        try await EngineFixture.with(.sqlite, Self.tables) { fixture in
            var system = billing(fixture)
            system.settings = ["region": "eu-west-1", "odd: name": "a # b"]
            system.secrets = ["key": .environment("STRIPE_KEY"), "other": .file("/run/secrets/a b")]
            let plan = try await plan(fixture, [system, pool])
            let text = PlanFile.text(for: plan)
            #expect(try PlanFile.read(Array(text.utf8), path: "p") == plan, "\(text)")
            let leaked = text.replacing(#"{environment: "STRIPE_KEY"}"#, with: "sk_live_canary")
            #expect(leaked != text, "\(text)")
            do {
                _ = try PlanFile.read(Array(leaked.utf8), path: "p")
                Issue.record("A secret in a plan was taken.")
            } catch {
                #expect(!"\(error)".contains("canary") && "\(error)".contains("environment"), "\(error)")
            }
        }
    }
}

/// Refuses to erase one name, at once or after so many calls.
private actor PickySystem: Connector {
    private let system: ImaginedSystem
    private let refused: String
    private var left: Int
    nonisolated let declaration: ConnectorDeclaration

    init(of system: ImaginedSystem, refusing name: String, after calls: Int = 0) {
        self.system = system
        refused = name
        left = calls
        declaration = system.declaration
    }

    func count(_ request: ConnectorRequest) async -> Int? { await system.count(request) }

    func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        if request.names.contains(refused) {
            guard left > 0 else { throw ConnectorFault.refused("picky", "it does not like the name") }
            left -= 1
        }
        return try await system.erase(request)
    }

    func verify(_ request: ConnectorRequest) async throws -> ConnectorReading { try await system.verify(request) }
}
