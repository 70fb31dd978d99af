// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// All statements for the rows of some subjects: the rows to count, change and delete, in order, and the reading back.
/// Made once for a plan and a schema, used for every subject.
package struct RowProgram: Sendable {
    /// A change of rows and the nodes it counts for.
    package struct Effect: Sendable {
        /// The statements, in order and in one transaction.
        package let statements: [RowStatement]
        package let nodes: [Int]
        /// The same change piece by piece; `nil` if it cannot be divided.
        package var chunks: RowChunks?
        /// The deletion piece by piece for a table with a key to itself, where `chunks` is `nil` for that reason.
        package var division: Division?
        /// Where the answers contain the numbers of changed rows of each node.
        package var numbers = Numbers.changed
        /// Whether the rows are counted apart, as made anonymous again.
        package var isAgain = false
        /// The node whose rows only lose a link; `nodes` is then empty.
        package var unlinked: Int?
        /// The node through whose rows these rows are found; `nil` if they are found in another way.
        package var through: Int?
        /// Whether, with these rows, the database deletes rows of other tables that no earlier effect has deleted.
        package var takesOthers = false

        package enum Numbers: Sendable {
            /// There is one node, and all rows that the statements change are its rows.
            case changed
            /// There is one statement, which answers with a row of numbers, one for each node.
            case row
            /// The second third of the statements changes the rows, one statement for each node.
            case lists
        }
    }

    /// The rows of a table with a key to itself, in pieces. A piece is refused while rows of a later piece refer to it.
    package struct Division: Sendable {
        /// The deletions, link by link.
        package let deletes: [Effect]
        /// Set the keys of the same rows to null, so that no row refers to another; empty if a key cannot be null.
        package let freeing: [Effect]
    }

    /// A part of a subject's rows.
    package enum Scope: Sendable {
        /// All of them, the subject's own row included.
        case everything
        /// All but the subject's own row and the rows erased with it.
        case rows
        /// The subject's own row and the rows erased with it.
        case identity
        /// All remaining rows, found without the rows that a cascade would delete.
        case leftovers
    }

    /// A delete of one table's rows that answers `(subject, rows)`.
    package struct CountingDelete: Sendable {
        package let node: Int
        package let statement: RowStatement
    }

    /// Erases one subject after the other and reads the server's own counters of the rows a transaction has deleted so
    /// far: before each subject, and after the last.
    package struct RowCounters: Sendable {
        /// The places, in the order of the counters.
        package let places: [String]
        /// Erase one subject. The first statement returns the counters as one list of numbers, and the number of rows
        /// that it has deleted itself so far.
        package let statements: [RowStatement]
        /// The place of the rows that the first statement deletes.
        package let begunWith: Int
        /// Returns the counters.
        package let closing: RowStatement
    }

    /// The statements that erase one subject and read back at once: the server itself keeps the keys of rows that
    /// others link to, so that no answer is needed before the next statement is sent.
    package struct SingleTransaction: Sendable {
        /// Divides by zero if one table alone has more of the subject's rows than the limit; `nil` if no table is that
        /// large, or if no index finds the rows of such a table.
        package let sizing: RowStatement?
        /// Keep the keys for the length of the transaction.
        package let keeping: [RowStatement]
        /// `readBack`, with the keys that were kept.
        package let readBack: RowStatement
    }

    package let graph: RowGraph
    /// `(subject)` of the subjects whose own row exists.
    package let presence: RowStatement
    /// `(place, subject, rows)` for every table with rows of a subject, before any change; and for every table with
    /// other subjects' rows that will only lose their link to one.
    package let counts: RowStatement
    /// The same for tables whose rows stay as they are; `nil` if there is none.
    package let stayingCounts: RowStatement?
    /// The changes of all rows but the subject's own, children before parents.
    package let rows: [Effect]
    /// The changes of everything together; the database's own cascade deletes the rows that it reaches.
    package let everything: [Effect]
    /// The same in fewer statements, if rows of many tables are found through tables that lead to each other. A
    /// rehearsal uses `everything`, because a refusal concerns a whole statement.
    package let joined: [Effect]
    /// The same without any cascade: for accounts that are erased in chunks, and for cases in which rows may be kept.
    /// The subject's own row is deleted only when nothing else is left.
    package let stepwise: [Effect]
    /// The subject's own row and the rows erased with it; if rows may be kept, only when nothing else is left.
    package let identity: [Effect]
    /// The same, but only when nothing else is left; `nil` if `identity` already waits for that, or if no list can name
    /// the subject in a form that the plan does not know.
    let identityLast: [Effect]?
    /// The changes of leftovers: rows that stay without the values that the rules demand, even if only their own key is
    /// known, and rows of erased tables that still name a deleted row.
    let leftovers: [Effect]
    /// Whether a trigger or a rule of the database may keep rows that are deleted, or restore values that are changed.
    package let mayBeResisted: Bool
    /// Whether a list in text or JSON may name the subject in another form than the plan says: only reading back shows
    /// that, and the subject's own row must still be there then.
    package let mayBeMentioned: Bool
    /// PostgreSQL, about several subjects: deletes everything by statements that report the subject of each row, so
    /// that no count is needed beforehand. `nil` if deletions table by table are not enough.
    package let countingDeletes: [CountingDelete]?
    /// PostgreSQL, about one subject: the number of rows that a transaction deleted, by the server's own counters.
    /// `nil` if these would not be the subject's rows alone.
    package let rowCounters: RowCounters?
    /// PostgreSQL, about one subject; only with `rowCounters`, and if each value of the keys' types is written in one
    /// way.
    package let singleTransaction: SingleTransaction?
    /// `(subject, values…)` of each node whose keys other rows link to.
    package let captures: [Capture]
    /// The queries of all captures.
    package let captureQueries: [CaptureQuery]
    /// The captures that reading back uses; the others matter only under another plan.
    package let neededCaptures: [Capture]
    package let neededCaptureQueries: [CaptureQuery]
    /// `(subject, values…)` of each table with columns that name the subject elsewhere too.
    package let identifiers: [RowStatement]
    /// The columns that each of `identifiers` reads, behind the subject's key.
    package let identifierColumns: [[ColumnName]]
    /// `(subject, name)` of each folder whose files a column names, and of each system that names subjects by a column.
    package let files: [String: RowStatement]
    /// `(place, rows)` for every place where rows of the subjects are left after an erasure.
    package let readBack: RowStatement
    /// The same for subjects whose parents' keys were read before, without trust in the database's own cascades: a
    /// trigger that kept rows may be gone by now.
    package let readBackByKeys: RowStatement
    /// The number of places that reading back covers, without those of rows that stay and have unknown former values.
    package let readBackPlaces: Int
    /// SQLite: the subject's key as its own row holds it, where the key is a UUID in any spelling.
    package let storedKey: RowStatement
    /// Some keys of subjects.
    package let sampledKeys: RowStatement
    /// The key of a subject that is written like a UUID, where keys are texts.
    package let uuidKey: RowStatement
    /// Some names of files, for each folder whose files a column names; the same for systems.
    package let sampledNames: [String: RowStatement]
    /// `(subject, latest date)` for each retained table whose period starts from a column.
    package let retentionStarts: [Int: RowStatement]
    /// How the rows of each retained table are found again when their time ends.
    package let retained: [RetainedRows]

    /// The keys of a node's rows, read before their deletion, to search later for rows that linked to them.
    package struct Capture: Sendable {
        package let node: Int
        /// The columns read, by their place in the table.
        package let columns: [Int]
        /// The composite keys among the columns to which other rows link, and the rows' own key where the rows are
        /// read again by it.
        package let keys: [[Int]]
        /// PostgreSQL: the columns of these keys once more, behind the others, as the server itself writes them.
        let written: [Int]
        /// The types of the values, empty on SQLite; `nil` if the capture has a query of its own.
        let types: [String]?
        package let statement: RowStatement

        /// The position of a composite key's column in a row of the answer.
        package func position(of column: Int) -> Int {
            if let place = written.firstIndex(of: column) { return 1 + columns.count + place }
            return 1 + (columns.firstIndex(of: column) ?? 0)
        }
    }

    /// `counts` for an export: PostgreSQL reads a small table once, instead of a look into it for each row that its
    /// rows may lead to. Not part of the program, because few programs are used for an export.
    package var exportCounts: RowStatement {
        var writer = RowProgramWriter(graph: graph)
        writer.readsSmallTablesWhole = true
        return writer.counts()
    }

    package func effects(of scope: Scope) -> [Effect] {
        switch scope {
        case .everything: everything
        case .rows: rows
        case .identity: identity
        case .leftovers: leftovers
        }
    }

    /// The names under which rows of a part are counted; `nil` if it is about all of them.
    package func places(of scope: Scope) -> [String]? {
        guard scope == .rows || scope == .identity else { return nil }
        return graph.nodes.flatMap { node in
            (graph.isOfIdentity(node.index) == (scope == .identity) ? [node.place] : [])
                + (graph.isFreed(node.index, with: scope) ? [node.linkPlace] : [])
        }
    }

    /// The effects of an account erased in pieces, or whose rows are counted while they are erased.
    package func pieces(of scope: Scope) -> [Effect] {
        switch scope {
        case .everything: stepwise
        case .identity: identityLast ?? identity
        case .rows, .leftovers: effects(of: scope)
        }
    }

    package init(graph: RowGraph, identifiers: [ColumnName] = [], names: [String: ColumnName] = [:]) throws {
        let writer = RowProgramWriter(graph: graph)
        self.graph = graph
        self.presence = writer.presence()
        self.counts = writer.counts()
        self.stayingCounts = writer.stayingCounts()
        self.rows = try writer.objects { !graph.isOfIdentity($0) } + writer.effects { !graph.isOfIdentity($0) }
        self.mayBeResisted = graph.mayBeResisted
        let last = try writer.effects(isRootLast: graph.mayBeResisted, of: graph.isOfIdentity)
        self.identity = writer.objects(of: graph.isOfIdentity) + last
        self.mayBeMentioned = writer.mayBeMentioned
        self.identityLast =
            writer.mayBeMentioned && !graph.mayBeResisted
            ? try writer.objects(of: graph.isOfIdentity) + writer.effects(isRootLast: true, of: graph.isOfIdentity)
            : nil
        let objects = writer.objects { _ in true }
        let everything = try objects + writer.effects(isAtOnce: true, leaving: graph.isCascaded) { _ in true }
        self.everything = everything
        self.joined = try writer.joinedEffects().map { objects + $0 } ?? everything
        self.stepwise = try objects + writer.effects(isRootLast: true) { _ in true }
        self.leftovers = try writer.leftovers()
        let readBack = writer.readBack()
        self.readBack = readBack
        self.readBackByKeys = writer.readBack(trustsCascades: false)
        self.readBackPlaces = writer.readBackPlaces()
        self.captures = writer.captures()
        self.neededCaptures = captures.filter { capture in
            readBack.slots.contains { slot in
                switch slot {
                case .captured(capture.node, _, _), .capturedKeys(capture.node, _): true
                default: false
                }
            }
        }
        self.captureQueries = CaptureQuery.all(captures, in: graph)
        self.neededCaptureQueries = CaptureQuery.all(neededCaptures, in: graph)
        self.countingDeletes = writer.countingDeletes()
        self.rowCounters = writer.rowCounters(erasing: joined)
        self.singleTransaction = rowCounters == nil ? nil : writer.singleTransaction(after: neededCaptureQueries)
        self.identifiers = try writer.values(of: identifiers)
        identifierColumns = graph.nodes.map { node in identifiers.filter { $0.table == node.table.name } }
            .filter { !$0.isEmpty }
        self.files = try writer.names(names)
        self.storedKey = writer.storedKey()
        self.sampledKeys = writer.sampledKeys()
        self.uuidKey = writer.uuidKey()
        self.sampledNames = names.compactMapValues { writer.sampledNames($0) }
        self.retentionStarts = writer.retentionStarts()
        self.retained = writer.retained()
    }
}
