// SPDX-License-Identifier: Apache-2.0

/// The rule for each place that holds a subject's data: the whole of `farewell.yaml` as a value.
///
/// A plan is declared, not programmed: it names every table and every column of the live schema. A table or column that
/// it does not name fails `farewell check` and refuses a run.
public struct Plan: Sendable, Hashable {
    /// The version of the plan format; `1` today.
    public var version: Int
    public var subject: SubjectRoot
    /// The fingerprint of the schema this plan was made for; `nil` when never recorded.
    public var schemaFingerprint: String?
    /// One entry for every table of the schema, in name order.
    public var tables: [TablePlan]
    /// Folders that hold the subject's files.
    public var folders: [FolderPlan]
    /// Third-party systems that hold the subject's data.
    public var systems: [SystemPlan]
    /// The questions that `farewell init` could not decide, with the answers given so far, in the order of the file.
    ///
    /// `tables` of a plan that was read from its file already include the answers.
    public var questions: [PlanQuestion]
    /// The additional changes by triggers of the database.
    public var effects: [TriggerEffect] = []
    /// Tables that belong to vendors, of which the plan names only those with rows of subjects.
    public var vendors: [VendorCoverage] = []
    /// The order of the stages of a run. Files before rows by default, because rows name the files.
    public var order: [Stage]

    /// A stage of a run; each is one or more steps.
    public enum Stage: String, Sendable, Hashable, CaseIterable {
        /// Folders of files and, later, object storage.
        case files
        /// Every table but the subject's own.
        case rows
        /// The subject's own row. Last, because until it is deleted the user can sign in and try again.
        case identity
    }

    public static let defaultOrder: [Stage] = [.files, .rows, .identity]

    public init(
        version: Int = 1, subject: SubjectRoot, schemaFingerprint: String? = nil, tables: [TablePlan],
        folders: [FolderPlan] = [], systems: [SystemPlan] = [], questions: [PlanQuestion] = [],
        order: [Stage] = Plan.defaultOrder
    ) {
        self.version = version
        self.subject = subject
        self.schemaFingerprint = schemaFingerprint
        self.tables = tables
        self.folders = folders
        self.systems = systems
        self.questions = questions
        self.order = order
    }

    /// The entry for a table, or `nil` when the plan does not name it.
    public subscript(table: TableName) -> TablePlan? { tables.first { $0.table == table } }
}
