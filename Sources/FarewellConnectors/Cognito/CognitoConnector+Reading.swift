// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Reads the user as the pool describes them, with all attributes. A pool hands out no password and no key of a second
/// factor.
extension CognitoConnector: ReadingConnector {
    public func read(_ request: ConnectorRequest, into sink: any ConnectorSink) async throws {
        for user in try await found(request.names) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let document = try RawJSON(Array(try encoder.encode(try known(of: user, sink))))
            try sink.add(document, named: "user.json", of: aws.system, without: withheld)
        }
    }

    /// The user without attributes that are left out: an attribute's name is a value there.
    private func known(of user: JSONValue, _ sink: any ConnectorSink) throws -> JSONValue {
        guard var members = user.object else { throw ConnectorFault.garbled(aws.system, "no user") }
        for list in ["UserAttributes", "Attributes"] {
            guard let attributes = members[list]?.array else { continue }
            members[list] = .array(
                try attributes.filter { attribute in
                    guard let name = attribute["Name"]?.string else { return true }
                    // Every attribute is written as text.
                    guard withheld.isOut(name, try RawJSON(Array("\"text\"".utf8)), in: nil) else { return true }
                    try sink.leaveOut(.value(named: name))
                    return false
                })
        }
        return .object(members)
    }
}
