// SPDX-License-Identifier: Apache-2.0

import Farewell

extension FirestoreConnector {
    /// Deletes or changes a document that does not exist, which triggers no function of the project.
    public func proveRights() async throws -> String? {
        let nobody = database.nobody
        switch place {
        case .path(let before, let after):
            let parts = before + [nobody] + after
            _ = try await database.delete([(parts.count % 2 == 0 ? parts : parts + [nobody]).joined(separator: "/")])
        case .field(let field) where field.removes:
            let value = JSONValue.object(["stringValue": .string(nobody)])
            _ = try await database.remove(
                .init(field: field, person: nobody, value: value), from: ["\(field.collection)/\(nobody)"])
            return "this account may change documents"
        case .field(let field):
            _ = try await database.delete(["\(field.collection)/\(nobody)"])
        }
        return "this account may delete documents"
    }
}
