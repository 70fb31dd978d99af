// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Derives a plan from a live schema: every table and every column gets its place.
///
/// Keys decide: rows behind `cascade`, `no action` and `restrict` keys are erased with the subject, rows behind `set
/// null` and `set default` keys stay without the link. Without a key, names and types propose.
/// Nothing is decided that could delete a neighbour's row; that is left to the author, and `check` asks.
public enum PlanDerivation {
    /// A subject whose key is that of an account begins at the account, so that the account is erased as well.
    ///
    /// - Parameters:
    ///   - subject: the table and key at which a subject begins; guessed if `nil`.
    ///   - fingerprint: the schema's, to be kept in the plan.
    ///   - surroundings: the known facts about a vendor's project.
    /// - Throws: `plan.subject-unknown`, `plan.subject-ambiguous`.
    public static func draft(
        from schema: Schema, subject: ColumnName? = nil, fingerprint: String? = nil,
        surroundings: VendorSurroundings = VendorSurroundings()
    ) throws(FarewellError) -> PlanDraft {
        let whole = SchemaMap(schema)
        let vendors = VendorProfile.found(in: whole)
        let hasExtensions = schema.hasExtensionTables
        let own =
            vendors.isEmpty && !hasExtensions
            ? whole : VendorDraft.own(whole, vendors.map(\.profile), subject: subject?.table)
        let found = if let subject { try named(subject, own) } else { try SubjectGuess.root(in: own) }
        let guess = found.atAccount(in: own)
        let passages = VendorPassages(whole, vendors, subject: guess)
        let map =
            passages.links.isEmpty
            ? own : VendorDraft.own(whole, vendors.map(\.profile), subject: subject?.table, passages)
        var reach = PlanReach(
            root: SubjectRoot(table: guess.table, key: guess.key), map: map, given: passages.links)
        reach.follow()
        var draft = DraftedPlan(reach: reach, map: map, evidence: guess.evidence)
        let finished = passages.removed(from: draft.finish(fingerprint: fingerprint))
        guard !vendors.isEmpty || hasExtensions else { return finished.withholdingSecrets(whole) }
        var added = VendorDraft(finished, whole, vendors, surroundings)
        var drafted = vendors.isEmpty ? finished : added.finish()
        drafted.notes += CompletedPlan(drafted.plan, whole).ofExtensions.map { name, tables in
            PlanNote(ExtensionTables.sentence(name, tables))
        }
        // The draft's fingerprint includes vendors' and extensions' tables.
        drafted.plan.schemaFingerprint = nil
        if fingerprint != nil { drafted.plan.schemaFingerprint = drafted.plan.fingerprint(of: schema) }
        return drafted.withholdingSecrets(whole)
    }

    private static func named(_ subject: ColumnName, _ map: SchemaMap) throws(FarewellError) -> SubjectGuess {
        guard let table = map[subject.table] ?? only(subject.table, map) else {
            let hint = NearestName.hint(
                subject.table.description, in: map.listed.prefix(2_000).map(\.name.description))
            throw FarewellError(
                "plan.subject-unknown", .yoursToFix,
                "There is no table \(Shown.name(subject.table.description)) in this database\(hint).",
                remedy: "Name a table and its key with --subject, e.g. --subject public.users.id.")
        }
        guard table[subject.column] != nil else {
            let hint = NearestName.hint(subject.column, in: table.columns.map(\.name))
            throw FarewellError(
                "plan.subject-unknown", .yoursToFix,
                "The table \(Shown.name(subject.table.description)) has no column "
                    + "\(Shown.name(subject.column))\(hint).",
                remedy: "Name a table and its key with --subject, e.g. --subject public.users.id.")
        }
        return SubjectGuess(table: table.name, key: subject.column, evidence: "you named it")
    }

    /// The one table of this name in any schema, where the name is given without one.
    private static func only(_ name: TableName, _ map: SchemaMap) -> SchemaTable? {
        guard name.schema == nil else { return nil }
        let found = map.listed.filter { $0.name.name.utf8.elementsEqual(name.name.utf8) }
        return found.count == 1 ? found[0] : nil
    }
}
