// SPDX-License-Identifier: Apache-2.0

import Farewell

/// What a key of a Supabase project may see, as far as the key itself tells.
///
/// The legacy keys are tokens whose claims name a role and the project (`ref`); the newer ones begin with `sb_secret_`
/// or `sb_publishable_` (https://supabase.com/docs/guides/api/api-keys). Row security filters for every role but
/// `service_role`, so any other key sees an empty bucket where there is a full one.
struct SupabaseKey: Sendable {
    /// Why the key cannot prove that nothing is there; `nil` where nothing speaks against it.
    let objection: String?

    init(_ key: String, host: String) {
        let parts = key.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if key.hasBytePrefix("sb_publishable_") {
            objection = "the key is a publishable one, to which row security shows what it likes"
        } else if parts.count == 3, let bytes = Base64URL.bytes(String(decoding: parts[1], as: UTF8.self)),
            let claims = try? StrictJSON.value(bytes)
        {
            let role = claims["role"]?.string ?? ""
            let project = claims["ref"]?.string
            if !role.isByteEqual(to: "service_role") {
                objection = "the key's role is not service_role, and row security shows it what it likes"
            } else if let project, host.hasByteSuffix(".supabase.co"), !host.hasBytePrefix("\(project).") {
                objection = "the key is one of another project than the address"
            } else {
                objection = nil
            }
        } else {
            objection = nil
        }
    }
}
