// SPDX-License-Identifier: Apache-2.0

extension PlanFingerprint {
    /// The written plan with the comments that 0.1.0-rc.1 wrote. A fingerprint hashes these, so that other words in
    /// comments change no plan's fingerprint: erasures in progress and receipts name it.
    static func withFirstComments(_ written: String) -> String {
        let lines = written.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.map { line in
            for (today, first) in comments where line.starts(with: today.utf8) {
                return first + String(decoding: line.dropFirst(today.utf8.count), as: UTF8.self)
            }
            return String(decoding: line, as: UTF8.self)
        }.joined(separator: "\n")
    }

    /// How a line of comment begins today, and how it began in 0.1.0-rc.1.
    private static let comments: [(today: String, first: String)] = [
        (
            "# What an erasure does to each place that contains a user's data.",
            "# What happens to each place that holds a person's data when the person leaves."
        ),
        (
            "# The plan names every table and every column of the database. Each table has a rule:",
            "# Every table and every column of the database stands here. Each table has a rule:"
        ),
        (
            "#   erase         the subject's rows are deleted",
            "#   erase         the person's rows are deleted"
        ),
        (
            "#   anonymise     the rows are kept; each column has a rule: ",
            "#   anonymise     the rows stay; each column says what becomes of it: "
        ),
        (
            "# `links` lead from rows to the subject. If a row belongs to two people, `shared: erase` deletes it",
            "# `links` say how rows lead to the person. Where a row belongs to two people, `shared: erase` lets it"
        ),
        (
            "# with either, `shared: unlink` keeps it and sets this link to null.",
            "# go with either, `shared: unlink` keeps it and empties this link."
        ),
        (
            "# Compare it with the database by `farewell check`; draw it with `farewell plan`.",
            "# Hold it against the database with `farewell check`; look at it with `farewell plan`."
        ),
        (
            "  # Other identifiers of the subject: a deep scan searches for them after an erasure.",
            "  # What else names the person: looked for everywhere after an erasure."
        ),
        ("# The schema that this plan was written for.", "# The schema this plan was made for."),
        (
            "# Tables of vendors and tools. Those without an entry under `tables` have no personal data, or",
            "# Tables of vendors and tools. Those that do not stand under `tables` hold nothing of a person, or their"
        ),
        (
            "# the database's own keys delete their rows with the rows that they refer to.",
            "# rows go with the rows that they refer to, by the database's own keys."
        ),
        (
            PlanFile.othersHead,
            "  # Nothing below leads to a person. Look twice: what is wrong here stays behind."
        ),
        (
            "# Third-party systems. Their secrets are in the environment or in files, never here.",
            "# Systems of others. Their secrets stand in the environment or in files, never here."
        ),
        (
            "# Further changes by triggers, at most, for each row that the erasure changes.",
            "# What triggers of the database change besides, at most, for each row that the erasure changes."
        ),
    ]
}
