// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension SchemaIndex {
    /// Whether each value of the column has a form of its own by this index: where `lower(email)` is unique, so is
    /// `email`.
    func isUniqueForm(of column: String) -> Bool {
        guard isUnique, !isPartial, columns == [""], !definition.isEmpty else { return false }
        var key = definition.filter { $0 != " " && $0 != "\"" }.lowercased()
        while key.hasPrefix("("), key.hasSuffix(")") { key = String(key.dropFirst().dropLast()) }
        let name = column.lowercased()
        return ["lower", "upper"].contains { form in
            key == "\(form)(\(name))" || key == "\(form)((\(name))::text)"
        }
    }

    /// The columns that a unique index needs to be different together with a column: its own, and those in its
    /// expressions count as the column: `(org_id, lower(email))`. `nil` if it is not about the column.
    func columns(uniqueWith column: String) -> [String]? {
        guard isUnique else { return nil }
        if columns.contains(column) { return columns }
        guard columns.contains(""), Self.words(of: definition).contains(column.lowercased()) else { return nil }
        return columns.filter { !$0.isEmpty } + [column]
    }

    private static func words(of definition: String) -> Set<String> {
        Set(definition.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
    }
}
