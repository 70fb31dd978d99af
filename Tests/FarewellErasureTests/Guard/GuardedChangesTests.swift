// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Testing

@Suite("The order of a transaction that changes rows")
struct GuardedChangesTests {
    typealias Phase = GuardedChanges.Phase

    /// The phases with statements of their own; each statement is the phase's name.
    private static let phases = Phase.allCases.filter { ![.countersBefore, .countersAfter].contains($0) }

    /// Given backwards, because the order in which an executor gives its statements does not matter.
    private static func guarded() throws -> GuardedChanges {
        let people = SchemaTable(
            name: TableName("people"), columns: [SchemaColumn(name: "id", type: "int", kind: .integer, isNullable: false)],
            primaryKey: ["id"])
        let plan = Plan(
            subject: SubjectRoot(table: people.name, key: "id"),
            tables: [TablePlan(table: people.name, rule: .erase, columns: [.init("id")])])
        var guarded = GuardedChanges(
            try PreparedPlan(
                plan: plan, schema: Schema(dialect: .sqlite, tables: [people]), planFingerprint: "", schemaFingerprint: "",
                stamp: .null))
        for phase in phases.reversed() { guarded[phase] = [SQLStatement("\(phase)"), SQLStatement("\(phase) again")] }
        return guarded
    }

    @Test(
        "PL-5 guards, changes and counters have one order, wherever a round trip ends, and no phase is sent twice",
        arguments: Phase.allCases)
    func order(_ end: Phase) throws {
        var whole = try Self.guarded()
        let all = whole.next(through: .audit).statements.map(\.text)
        #expect(all == Self.phases.flatMap { ["\($0)", "\($0) again"] })
        var divided = try Self.guarded()
        let trips = [divided.next(through: end), divided.next(through: .audit), divided.next(through: .audit)]
        #expect(trips.flatMap(\.statements).map(\.text) == all)
        #expect(trips[2].statements.isEmpty)
        // Each phase finds its own answers, in the round trip that sent it, and none in the others.
        for trip in trips {
            let results = trip.statements.map { SQLResult(columns: [], rows: [[.text($0.text)]], affected: 0) }
            for phase in Self.phases {
                let texts = trip.answers(of: phase, in: results).map { $0.scalar?.text ?? "" }
                let sent = trip.statements.map(\.text).filter { ["\(phase)", "\(phase) again"].contains($0) }
                #expect(texts == sent)
            }
        }
    }
}
