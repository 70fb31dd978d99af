// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Reads the user as the Admin API describes them, without what admits its holder.
extension SupabaseAuthConnector: ReadingConnector {
    /// Members that would be secrets, if a version of the service had them in its answer: it leaves them out
    /// (https://supabase.com/docs/reference/javascript/auth-admin-getuserbyid).
    static let secret = ["action_link", "hashed_token", "email_otp"]

    public func read(_ request: ConnectorRequest, into sink: any ConnectorSink) async throws {
        var isEmpty = true
        for name in request.names {
            guard let user = try await found(name) else { continue }
            isEmpty = false
            try sink.add(user, named: "user.json", of: rest.system, without: withheld)
        }
        if isEmpty { try await requirePlace() }
    }
}
