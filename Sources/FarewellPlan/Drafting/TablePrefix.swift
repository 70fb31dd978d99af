// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The beginning that nearly all tables of an app share, such as `wp_`: the app names its rows without it.
struct TablePrefix {
    /// With the underscore at its end.
    private let text: String

    /// `nil` if the users' table, and with it at least four tables and three quarters of all, do not begin alike.
    init?(_ map: SchemaMap, users: TableName) {
        guard let end = users.name.firstIndex(of: "_") else { return nil }
        let text = String(users.name[...end])
        let sharing = map.listed.count(where: { $0.name.name.utf8.starts(with: text.utf8) })
        guard sharing >= Self.fewest, sharing * 4 >= map.listed.count * 3 else { return nil }
        self.text = text
    }

    private static let fewest = 4

    /// The name of a table without the prefix; `nil` if the table does not have it.
    func rest(of table: TableName) -> String? {
        let (name, prefix) = (table.name.utf8, text.utf8)
        guard name.starts(with: prefix), name.count > prefix.count else { return nil }
        return String(decoding: name.dropFirst(prefix.count), as: UTF8.self)
    }
}
