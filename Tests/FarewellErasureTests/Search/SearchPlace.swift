// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// A database of one subject's table `people` and tables that the plan calls not personal.
enum SearchPlace {
    /// Erases one subject with a complete search, then verifies with the same identifiers named again.
    static func scans(
        _ dialect: SQLDialect, _ script: String, subject: String = "1", identifiers: [String] = ["email"],
        _ edit: @escaping (inout Plan) -> Void = { _ in }
    ) async throws -> (receipt: Receipt, again: SubjectVerification) {
        var found: (Receipt, SubjectVerification)?
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan(identifiers: identifiers.map { ("people", $0) }) { plan in
                for table in plan.tables where table.table.name != "people" { plan.set(table.table.name, .notPersonal) }
                edit(&plan)
            }
            let columns = identifiers.map(dialect.quoted).joined(separator: ", ")
            let names = try await fixture.database.withConnection { connection in
                try await connection.run("SELECT \(columns) FROM people WHERE CAST(id AS text) = $1", .text(subject)).rows.first ?? []
            }
            let engine = try await fixture.engine(plan)
            let outcome = try #require(try await engine.erase([subject], options: ErasureOptions(deepScan: .complete)).first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            let known = names.compactMap(\.text).filter(SearchedSubject.isSearched)
            found = (receipt, try await engine.verify(subject, identifiers: known, extent: .complete))
        }
        return try #require(found)
    }

    static func place(_ dialect: SQLDialect, _ column: String) -> String { (dialect.hasSchemas ? "public." : "") + column }
}

extension ReceiptVerification.DeepScan {
    /// The places by what was found, without the schema's name.
    var places: [String: [String]] {
        func short(_ places: [String]) -> [String] { places.map { $0.replacing("public.", with: "") } }
        return ["left": short(leftIn), "similar": short(similarIn), "not searched": short(notSearched.map(\.place))]
    }
}
