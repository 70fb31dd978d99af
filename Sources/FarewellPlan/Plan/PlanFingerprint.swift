// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Farewell
import Foundation

/// The fingerprint of a plan: it identifies in a receipt the plan that was used.
public enum PlanFingerprint {
    /// `sha256:` and the hash of the plan as it would be written, so that comments and layout do not count.
    public static func of(_ plan: Plan) -> String {
        // The answers are in the tables.
        var plan = plan
        plan.questions = []
        // The settings of exports have no effect on erasures.
        for table in plan.tables.indices {
            plan.tables[table].label = nil
            plan.tables[table].labels = [:]
            for column in plan.tables[table].columns.indices {
                plan.tables[table].columns[column].label = nil
                plan.tables[table].columns[column].export = nil
            }
        }
        for system in plan.systems.indices { plan.systems[system].export = SystemExportRule() }
        let digest = SHA256.hash(data: Data(withFirstComments(PlanFile.text(for: plan)).utf8))
        return "sha256:" + digest.map { String(format: "%02x", $0) }.joined()
    }
}
