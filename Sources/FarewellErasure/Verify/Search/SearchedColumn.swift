// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// One column, and how the search reads it.
struct SearchedColumn: Sendable {
    let column: SchemaColumn
    /// As receipts write it.
    let place: String
    /// Whether values are documents or lists, in which a number is a member or an element.
    let isStructured: Bool
    /// Whether the column's name or a link of the plan says that it holds the subject's key.
    let namesSubject: Bool
    /// Whether the plan reads identifiers from it: other rows hold other subjects' identifiers.
    let isIdentifier: Bool
    /// Whether the plan leaves the subject's key there, in rows that stay.
    let keepsKey: Bool
    /// Whether a link of the plan says that it lists keys of subjects: a number in it is one, whatever its separators.
    let listsSubject: Bool
    /// From how many digits on a number in it may be the subject's key; `nil` if none is.
    let shortestNumber: Int?
    let written: WrittenValue?
    /// Whether its name says that its values are encoded or encrypted.
    let isEncoded: Bool
    /// In which ways it is read.
    let ways: Set<Way>

    /// How values are compared.
    enum Way: Hashable {
        /// As text.
        case text
        /// As a number.
        case number
        /// As bytes, of which only a whole value is compared.
        case bytes
    }

    /// `nil` if the column cannot hold an identifier, or the plan keeps identifiers in it.
    ///
    /// - Parameter entry: The plan's entry for the table.
    init?(
        _ column: SchemaColumn, of table: SchemaTable, planned entry: TablePlan?, of subject: SubjectRoot,
        _ names: SubjectNames, _ dialect: SQLDialect
    ) {
        let planned = entry?.columns.first { ExactText($0.name) == ExactText(column.name) }
        let isIdentifier = subject.identifiers.contains(ColumnName(table.name, column.name))
        let stays = entry?.rule.rowsStay == true
        let isNotPersonal = planned?.rule?.isNotPersonal == true
        guard planned?.rule?.isRetained != true, !(stays && isIdentifier && isNotPersonal) else { return nil }
        let ways = Self.ways(column, dialect)
        guard !ways.isEmpty else { return nil }
        self.column = column
        self.ways = ways
        place = "\(ColumnName(table.name, column.name))"
        isStructured = [.json, .array, .other].contains(column.kind)
        self.isIdentifier = isIdentifier
        let isRoot = table.name == subject.table && column.name == subject.key
        let links = entry?.links.filter { $0.columns.contains(column.name) } ?? []
        keepsKey = stays && (isRoot || !links.allSatisfy(Self.losesKey))
        let own = links.filter { link in
            zip(link.columns, link.targetColumns).contains {
                $0 == column.name && link.target == subject.table && $1 == subject.key
            }
        }
        let linksSubject = isRoot || !own.isEmpty
        listsSubject = column.kind == .text && own.contains { $0.list != nil && $0.path.isEmpty }
        // If a condition decides whether a key names a subject, the same number may name another thing: the read-back
        // decides, because it applies the condition.
        let isConditional = !isRoot && !links.isEmpty && !links.contains { $0.condition.isEmpty }
        namesSubject = !isConditional && (linksSubject || !isNotPersonal && names.mayHoldKey(column.name))
        let isOther =
            Self.isLargeObject(column) || Self.isOfWords(column) || !linksSubject && !links.isEmpty
            || !linksSubject
                && table.foreignKeys.contains { key in
                    key.isValidated && key.target != subject.table && key.columns.contains(column.name)
                }
        let isOwnNumber = !namesSubject && table.primaryKey == [column.name]
        shortestNumber = isOther ? nil : isOwnNumber ? SearchedName.unmistakable : 1
        written = entry.flatMap { WrittenValue(column.name, in: $0, of: table) }
        isEncoded = column.kind == .text && Self.isEncoded(NameWords.of(column.name), in: NameWords.of(table.name.name))
    }

    /// Web frameworks keep the data of a session as base64 or in a format of their own: `django_session.session_data`,
    /// `sessions.payload` of Laravel, `sessions.data` of Rails.
    private static func isEncoded(_ name: [String], in table: [String]) -> Bool {
        let isOfSession = table.contains { $0 == "session" || $0 == "sessions" }
        let codes = ["encrypted", "ciphertext", "encoded", "serialized", "marshaled", "marshalled", "compressed"]
        return name.contains(where: codes.contains) || isOfSession && (name.last == "data" || name.last == "payload")
    }

    /// Whether the erasure takes the subject's key out of the column in every row.
    private static func losesKey(_ link: Link) -> Bool {
        link.isReference && link.columns.count == 1 && link.condition.isEmpty
    }

    private static func ways(_ column: SchemaColumn, _ dialect: SQLDialect) -> Set<Way> {
        let declared: Set<Way> =
            switch column.kind {
            case .text, .uuid, .json, .array, .other: [.text]
            case .integer, .number: [.number]
            case .bytes: [.bytes]
            case .boolean, .timestamp: []
            }
        // Without column types, any column may hold text and bytes.
        return dialect.hasColumnTypes ? declared : declared.union([.text, .bytes])
    }

    /// Whether values of another kind than the declared one are read as text, and only those that are text.
    var isTextByChance: Bool { ![.text, .uuid, .json, .array, .other].contains(column.kind) }

    /// Large objects of PostgreSQL are named by numbers; their contents are elsewhere.
    private static func isLargeObject(_ column: SchemaColumn) -> Bool { column.mayNameLargeObjects }

    /// Texts taken apart, each word with its places, which are numbers as well.
    private static func isOfWords(_ column: SchemaColumn) -> Bool { column.type == "tsvector" }

    /// Why it is not searched in full, in words; `nil` if it is.
    func limit(for names: [SearchedName]) -> String? {
        if column.kind == .bytes { return "bytes: only whole values were compared" }
        if column.elementType == "bytea" { return "a list of bytes: its values were not compared" }
        if Self.isLargeObject(column) { return "a large object" }
        if isEncoded { return "perhaps encoded: only plain text was found" }
        let isMissed = names.contains { $0.form == .number || $0.spellings[0].contains(UInt8(ascii: " ")) }
        return Self.isOfWords(column) && isMissed
            ? "single words: numbers and names of several words are not found in them" : nil
    }
}
