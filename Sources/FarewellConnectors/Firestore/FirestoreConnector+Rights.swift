// SPDX-License-Identifier: Apache-2.0

import Farewell

extension FirestoreConnector {
    /// Deletes a document that does not exist, or removes a name that no document has. That triggers no function of
    /// the project.
    public func proveRights() async throws -> String? {
        let unused = database.unusedName
        switch place {
        case .path(let before, let after):
            let parts = before + [unused] + after
            _ = try await database.delete([(parts.count % 2 == 0 ? parts : parts + [unused]).joined(separator: "/")])
        case .field(let field) where field.removes:
            let value = JSONValue.object(["stringValue": .string(unused)])
            _ = try await database.remove(
                .init(field: field, person: unused, value: value), from: ["\(field.collection)/\(unused)"])
            return "this account may change documents"
        case .field(let field):
            _ = try await database.delete(["\(field.collection)/\(unused)"])
        }
        return "this account may delete documents"
    }
}
