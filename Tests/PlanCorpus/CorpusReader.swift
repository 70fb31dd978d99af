// SPDX-License-Identifier: Apache-2.0
import FarewellSQL

/// Reads a file of the corpus: SQL with one column on each line, and behind it what the author says of it.
///
///     -- subject: users.id
///     -- databases: postgresql, sqlite
///     -- keys: sparse
///     CREATE TABLE comments (
///       id bigint PRIMARY KEY,
///       post_id bigint NOT NULL REFERENCES posts (id), -- part of: posts.id
///       target_id bigint, -- owner: users.id when target_type = 'User' | about: pages.id when target_type = 'Page'
///       kind text, -- one of: note, answer
///       -- (tenant_id, member_id) part of: members (tenant_id, id)
///       FOREIGN KEY (tenant_id, member_id) REFERENCES members (tenant_id, id),
///       PRIMARY KEY (tenant_id, id)
///     );
struct CorpusReader {
    private(set) var subject = (table: "", column: "")
    private(set) var dialects: [SQLDialect] = []
    private(set) var isSparse = false
    private(set) var tables: [CorpusTable] = []
    private var table: CorpusTable?

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let words = line.drop { $0 == " " }
            if line.hasPrefix("-- ") { head(line.dropFirst(3)) }
            if line.hasPrefix("CREATE TABLE"), line.hasSuffix("(") {
                table = CorpusTable(name: Self.bare(line.dropFirst("CREATE TABLE ".count).dropLast(2)))
            } else if line.hasPrefix(")"), let ended = table {
                tables.append(ended)
                table = nil
            } else if table != nil {
                read(words)
            }
        }
    }

    private mutating func head(_ line: Substring) {
        if let value = Self.value(line, of: "subject") { subject = Self.place(value) }
        if let value = Self.value(line, of: "databases") {
            dialects = SQLDialect.allCases.filter { value.contains("\($0)") }
        }
        if let value = Self.value(line, of: "keys") { isSparse = value == "sparse" }
    }

    private mutating func read(_ line: Substring) {
        let comment = line.firstRange(of: "--").map { line[$0.upperBound...].drop { $0 == " " } } ?? ""
        let code = line.prefix(upTo: line.firstRange(of: "--")?.lowerBound ?? line.endIndex)
        if code.isEmpty { return composite(comment) }
        let words = code.split { " ,".contains($0) }
        switch words[0] {
        case "PRIMARY": table?.primaryKey = Self.list(code)
        case "UNIQUE": table?.uniqueKeys.append(Self.list(code))
        case "FOREIGN", "CHECK", "CONSTRAINT": return
        default: column(words, code, comment)
        }
    }

    private mutating func column(_ words: [Substring], _ code: Substring, _ comment: Substring) {
        let name = Self.bare(words[0])
        let isTyped = words.count > 1 && code.split(separator: " ").first?.hasSuffix(",") != true
        let isPrimary = code.contains(" PRIMARY KEY")
        var column = CorpusTable.Column(
            name: name, type: isTyped ? Self.type(code) : "", isNullable: !isPrimary && !code.contains(" NOT NULL"))
        if isPrimary { table?.primaryKey = [name] }
        if code.contains(" UNIQUE") { table?.uniqueKeys.append([name]) }
        if let choices = Self.value(comment, of: "one of") {
            column.choices = choices.split(separator: ",").map { String($0.drop { $0 == " " }) }
        }
        column.isTouched = comment == "touched"
        table?.columns.append(column)
        for words in comment.split(separator: "|") {
            guard let lead = Self.lead(words.drop { $0 == " " }, of: name) else { continue }
            table?.leads.append(lead)
        }
    }

    /// The second word, with the text in brackets: `numeric(10,2)`, `bigint[]`.
    private static func type(_ code: Substring) -> String {
        let rest = code.drop { $0 != " " }.dropFirst()
        let end = rest.firstIndex { $0 == " " } ?? rest.endIndex
        let word = rest[..<end]
        return String(word.hasSuffix(",") ? word.dropLast() : word)
    }

    private mutating func composite(_ comment: Substring) {
        guard let end = comment.firstIndex(of: ")") else { return }
        let said = comment[comment.index(after: end)...].drop { $0 == " " }
        for kind in [CorpusLead.Kind.part, .about] {
            guard let target = Self.value(said, of: kind.rawValue) else { continue }
            table?.leads.append(
                CorpusLead(
                    kind: kind, columns: Self.list(comment[...end]),
                    target: Self.bare(target.prefix { $0 != " " }), targetColumns: Self.list(target)))
        }
    }

    private static func lead(_ said: Substring, of column: String) -> CorpusLead? {
        for kind in [CorpusLead.Kind.owner, .part, .names, .about] {
            guard let value = Self.value(said, of: kind.rawValue) else { continue }
            let words = value.split(separator: " ", maxSplits: 1)
            let place = Self.place(words[0])
            var lead = CorpusLead(
                kind: kind, columns: [column], target: place.table, targetColumns: [place.column])
            let rest = words.count > 1 ? words[1] : ""
            if rest.hasPrefix("when ") {
                let parts = rest.dropFirst("when ".count).split(separator: "'")
                lead.condition = .init(
                    column: String(parts[0].prefix { $0 != " " }), value: String(parts[1]))
            } else if rest == "in list" {
                lead.form = .list
            } else if rest.hasPrefix("at ") {
                lead.form = .path(rest.dropFirst("at ".count).split { ". ".contains($0) }.map(String.init))
            } else if rest.hasPrefix("else ") {
                lead.otherwise = String(rest.dropFirst("else ".count).prefix { $0 != " " })
            }
            return lead
        }
        return nil
    }

    private static func value(_ text: Substring, of name: String) -> Substring? {
        guard text.hasPrefix(name + ": ") else { return nil }
        var value = text.dropFirst(name.count + 2)
        while value.last == " " { value.removeLast() }
        return value
    }

    /// `auth.users.id` → `auth.users` and `id`.
    private static func place(_ text: Substring) -> (table: String, column: String) {
        let parts = text.split(separator: ".")
        return (parts.dropLast().joined(separator: "."), parts.last.map(String.init) ?? "")
    }

    private static func bare(_ text: Substring) -> String { String(text.filter { $0 != "\"" }) }

    /// The text in the first brackets.
    private static func list(_ text: Substring) -> [String] {
        guard let start = text.firstIndex(of: "("), let end = text[start...].firstIndex(of: ")") else { return [] }
        return text[text.index(after: start)..<end].split { ", ".contains($0) }.map { bare($0) }
    }
}
