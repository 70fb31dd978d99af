// SPDX-License-Identifier: Apache-2.0

/// The probable meaning of a column whose name is none for a user's key: a question gives the reason, and nothing else
/// follows from it.
struct GuessedMeaning {
    let role: PersonNames.Role
    /// Words of the question after those about the link.
    let reason: String
    /// Whether the column as likely means something else, so that `not personal` comes first.
    var isDoubtful = false
}
