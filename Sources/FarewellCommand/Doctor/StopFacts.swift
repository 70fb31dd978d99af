// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import Foundation

/// The stopped erasures that the database has forgotten, as after a restore, or the file lacks, in words. Changes
/// nothing.
struct StopFacts: Sendable {
    let database: any SQLDatabase
    let state: String

    /// None where both agree, or the database cannot be asked: another fact reports that.
    func facts() async -> [DatabaseHealth.Fact] {
        do {
            let found = try await ErasureEngine.forgottenStops(in: database, state: state)
            var facts: [DatabaseHealth.Fact] = []
            if !found.isEmpty {
                let text = "The database has forgotten \(Self.words(found)). Was a back-up restored?"
                facts.append(
                    .init(
                        "stops", .bad, text,
                        remedy: "The next start of a server or worker, or farewell reerase, puts them back."))
            }
            if let missing = Self.part(found.missingInFile, "hold", "holds") {
                facts.append(
                    .init(
                        "stops", .warning, "The state directory (stops.jsonl) lacks \(missing).",
                        remedy: "The next start of a server or worker, or farewell reerase, adds what is missing."))
            }
            return facts
        } catch let error as FarewellError where LedgerFacts.isOfState(error) {
            return [.init("stops", .bad, error.message, remedy: error.remedy)]
        } catch {
            return []
        }
    }

    /// `1 cancellation (0b54c0de-…) and 2 holds (…, …)`
    static func words(_ found: StopAgreement) -> String {
        let named = [
            part(found.cancelled, "cancellation", "cancellations"), part(found.held, "hold", "holds"),
        ]
        return named.compactMap(\.self).joined(separator: " and ")
    }

    private static func part(_ erasures: [UUID], _ one: String, _ many: String) -> String? {
        guard !erasures.isEmpty else { return nil }
        let names = erasures.prefix(5).map(\.text) + (erasures.count > 5 ? ["…"] : [])
        return "\(Words.count(erasures.count, one, many)) (\(names.joined(separator: ", ")))"
    }
}
