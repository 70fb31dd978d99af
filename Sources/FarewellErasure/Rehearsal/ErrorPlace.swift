// SPDX-License-Identifier: Apache-2.0

/// The table and the constraint that an error of the database names in its message: `(table a.b, constraint c)`.
struct ErrorPlace: Hashable {
    private(set) var table: String?
    private(set) var constraint: String?

    init(_ message: String) {
        guard message.hasSuffix(")."), let opening = message.ranges(of: " (").last else { return }
        let inner = message[opening.upperBound...].dropLast(2)
        for part in inner.split(separator: ", ") {
            if part.hasPrefix("table ") { table = String(part.dropFirst(6)) }
            if part.hasPrefix("constraint ") { constraint = String(part.dropFirst(11)) }
        }
    }
}
