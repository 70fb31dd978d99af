// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Reads the account as the lookup describes it, without the password's hash and salt.
extension FirebaseAuthConnector: ReadingConnector {
    /// https://cloud.google.com/identity-platform/docs/reference/rest/v1/UserInfo
    static let secret = ["passwordHash", "salt", "rawPassword"]

    public func read(_ request: ConnectorRequest, into sink: any ConnectorSink) async throws {
        var isEmpty = true
        for name in request.names {
            guard let account = try await found(name) else { continue }
            isEmpty = false
            try sink.add(account, named: "account.json", of: google.system, without: withheld)
        }
        if isEmpty { try await requirePlace(for: request) }
    }
}
