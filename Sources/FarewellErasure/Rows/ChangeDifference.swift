// SPDX-License-Identifier: Apache-2.0

public import Farewell

/// A table in which another number of rows was changed than the plan predicts.
public struct ChangeDifference: Sendable, Hashable {
    /// The kind of change.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable { case inserted, updated, deleted }

    public var table: TableName
    public var kind: Kind
    /// How many rows it was.
    public var rows: Int
    /// How many rows the plan predicts, in words: `none`, `3`, `2 to 5`.
    public var predicted: String
    /// How many rows more than predicted; 0 if it was fewer.
    var excess: Int

    /// Whether fewer rows were changed than predicted.
    package var isShort: Bool { excess == 0 }

    /// `public.posts: 3 rows deleted, 2 predicted`
    public var text: String {
        let name = Shown.line(table.description, limit: 160)
        return "\(name): \(rows) row\(rows == 1 ? "" : "s") \(kind.rawValue), \(predicted) predicted"
    }
}

extension ChangeDifference {
    /// Why a transaction was rolled back.
    /// How the message of `error` begins.
    static let beginning = "A transaction changed other rows than the plan predicts, and was rolled back."

    ///
    /// - Parameter advice: The lines that the plan can declare; `nil` where no trigger explains the changes.
    static func error(_ differences: [ChangeDifference], advice: String? = nil) -> FarewellError {
        let shown = differences.prefix(8).map(\.text).joined(separator: "; ")
        let more = differences.count > 8 ? "; and \(differences.count - 8) more" : ""
        return FarewellError(
            GuardFailure.unpredicted, .yoursToFix,
            "\(beginning) \(shown)\(more).",
            remedy: advice
                ?? "Run farewell rehearse for this subject. Then correct the plan, or declare the changes of "
                + "triggers under `effects`, and release the erasure.")
    }
}
