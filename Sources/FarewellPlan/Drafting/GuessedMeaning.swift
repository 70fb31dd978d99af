// SPDX-License-Identifier: Apache-2.0

/// What a column probably names, although its name is none for a user's key: a question gives the reason, and nothing
/// else follows from it.
struct GuessedMeaning {
    let role: PersonNames.Role
    /// Words of the question after those about the link.
    let reason: String
    /// Whether the column as likely means something else, so that `not personal` comes first.
    var isDoubtful = false
}
