// SPDX-License-Identifier: Apache-2.0

/// Where the address of the server's own database is named.
package enum DatabaseOrigin: Sendable, Hashable {
    /// In the file or by an option: it is meant for the server.
    case settings
    /// In the environment, which the commands about the plan's database read as well; and the file's value instead.
    case environment(otherwise: String?)

    /// As messages name it.
    var name: String {
        switch self {
        case .settings: "\(SettingKey.databaseURL.name) or --database-url"
        case .environment: SettingKey.databaseURL.variable
        }
    }
}
