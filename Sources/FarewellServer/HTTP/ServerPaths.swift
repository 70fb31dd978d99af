// SPDX-License-Identifier: Apache-2.0

/// The paths at which parts of the server begin, for those that name each other.
enum ServerPaths {
    /// The Supabase Auth contract.
    static let auth = "/auth/v1"
    /// The pages of a user.
    static let account = "/account"
    /// The page to which a mail's link leads.
    static let link = account + "/link"
    /// The operator's console.
    static let console = "/console"
}
