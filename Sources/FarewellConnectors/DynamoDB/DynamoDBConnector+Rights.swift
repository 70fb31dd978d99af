// SPDX-License-Identifier: Apache-2.0

import Farewell

extension DynamoDBConnector {
    /// Deletes an item that does not exist, in the way of an erasure.
    public func proveRights() async throws -> String? {
        let keys = try await keys()
        let unused = aws.unusedName
        let item = keys.kinds.mapValues { DynamoDBKey(kind: $0, encoding: .utf8).value(ofUnused: unused) }
        if index == nil {
            try await delete([item])
        } else {
            _ = try await deleteStill([item], of: keys.key.value(ofUnused: unused))
        }
        return "this key may delete items"
    }
}
