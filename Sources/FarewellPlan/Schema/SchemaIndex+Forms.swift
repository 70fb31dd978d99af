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
}
