// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellVerifier

/// The access of a Supabase project's key, as far as the key itself shows it.
///
/// Row security filters for every role but `service_role`, so any other key sees a full bucket as empty.
struct SupabaseKey: Sendable {
    /// Why the key cannot prove that nothing is there; `nil` if there is no objection.
    let objection: String?

    init(_ key: String, host: String) {
        guard let key = ProjectKey(key) else {
            objection = nil
            return
        }
        switch key.form {
        case .publishable:
            objection = "the key is a publishable one, and row security may hide rows from it"
        case .secret:
            objection = nil
        case .token:
            if !(key.role ?? "").isByteEqual(to: "service_role") {
                objection = "the key's role is not service_role, and row security may hide rows from it"
            } else if let project = key.project, host.hasByteSuffix(".supabase.co"),
                !host.hasBytePrefix("\(project).")
            {
                objection = "the key belongs to another project than the address"
            } else {
                objection = nil
            }
        }
    }
}
