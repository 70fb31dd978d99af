// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Reads the user as the pool describes them, with all attributes. A pool hands out no password and no key of a second
/// factor.
extension CognitoConnector: ReadingConnector {
    public func read(_ request: ConnectorRequest, into sink: any ConnectorSink) async throws {
        let users = try await found(request.names)
        if users.isEmpty { try await requireForm(of: request) }
        for user in users {
            try sink.add(try known(of: user, sink), named: "user.json", of: aws.system, without: withheld)
        }
    }

    /// The user without attributes that are left out: an attribute's name is a value there.
    private func known(of user: RawJSON, _ sink: any ConnectorSink) throws -> RawJSON {
        guard let members = user.members else { throw ConnectorFault.garbled(aws.system, "no user") }
        // Every attribute is written as text.
        let text = RawJSON.Beginning(Array("\"text\"".utf8)[...])
        var written: [[UInt8]] = []
        for (name, value) in members {
            var bytes = Array(value.bytes)
            if ["UserAttributes", "Attributes"].contains(name), let attributes = value.elements {
                let kept = try attributes.filter { attribute in
                    guard let name = attribute["Name"]?.string, withheld.isOut(name, text, in: nil) else { return true }
                    try sink.leaveOut(.value(named: name))
                    return false
                }
                bytes = Array("[".utf8) + Array(kept.map(\.bytes).joined(separator: Array(",".utf8))) + Array("]".utf8)
            }
            written.append(Array(try JSONEncoder().encode(JSONValue.string(name))) + Array(":".utf8) + bytes)
        }
        let document = Array("{".utf8) + Array(written.joined(separator: Array(",".utf8))) + Array("}".utf8)
        return try RawJSON(document, depth: .max)
    }
}
