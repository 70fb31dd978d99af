// SPDX-License-Identifier: Apache-2.0

/// Tables that a plan leaves to the profile of a vendor instead of naming each.
///
/// In a covered table that the plan does not name, only the database's own cascading keys delete rows; everything else
/// in it is not personal. A table that the plan names keeps its entry.
public struct VendorCoverage: Sendable, Hashable {
    /// The profile's name, e.g. `supabase`.
    public var vendor: String
    public var places: [Place]

    /// The part left to a profile.
    public enum Place: Sendable, Hashable {
        /// Every table of a schema that the app does not own itself: `auth.*`.
        case schema(String)
        /// One table: `public.schema_migrations`.
        case table(TableName)
    }

    public init(vendor: String, places: [Place]) {
        self.vendor = vendor
        self.places = places
    }
}

extension VendorCoverage.Place: CustomStringConvertible {
    public var description: String {
        switch self {
        case .schema(let name): TableName.written(name) + ".*"
        case .table(let name): name.description
        }
    }

    /// Reads `auth.*` or a table's name; `nil` when malformed.
    public init?(parsing text: String) {
        if text.utf8.suffix(2).elementsEqual(".*".utf8) {
            guard let parts = TableName.parts(of: String(text.unicodeScalars.dropLast(2))), parts.count == 1 else {
                return nil
            }
            self = .schema(parts[0])
        } else if let table = TableName(parsing: text) {
            self = .table(table)
        } else {
            return nil
        }
    }
}
