// SPDX-License-Identifier: Apache-2.0

/// Where the address of the server's own database is named.
package enum DatabaseOrigin: Sendable, Hashable {
    /// In the file or by an option: it is meant for the server.
    case settings
    /// In the environment, where the commands about the plan's database look as well; and what the file says instead.
    case environment(otherwise: String?)
}
