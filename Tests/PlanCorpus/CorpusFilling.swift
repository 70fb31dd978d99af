// SPDX-License-Identifier: Apache-2.0
import FarewellSQL

/// Makes rows for a schema by what its author says of each column.
struct CorpusFilling {
    private let schema: CorpusSchema
    private let dialect: SQLDialect
    private let people: Int
    private var random: CorpusRandom
    private var record: CorpusRecord
    /// The values of each unique key so far, by table and key.
    private var taken: [String: Set<[String]>] = [:]
    private var counters: [String: Int] = [:]

    static func record(
        of schema: CorpusSchema, on dialect: SQLDialect, people: Int, seed: UInt64
    ) -> CorpusRecord {
        var filling = CorpusFilling(schema, dialect, people, seed)
        filling.fill()
        return filling.record
    }

    private init(_ schema: CorpusSchema, _ dialect: SQLDialect, _ people: Int, _ seed: UInt64) {
        self.schema = schema
        self.dialect = dialect
        self.people = people
        random = CorpusRandom(seed: seed)
        record = CorpusRecord(schema: schema, dialect: dialect)
    }

    private mutating func fill() {
        var open = schema.tables
        var done: Set<String> = []
        while !open.isEmpty {
            let next = open.firstIndex { table in
                table.leads.allSatisfy { $0.target == table.name || done.contains($0.target) }
            }
            let table = open.remove(at: next ?? 0)
            done.insert(table.name)
            record.order.append(table.name)
            record.rows[table.name] = []
            fill(table)
        }
    }

    private mutating func fill(_ table: CorpusTable) {
        if table.name == schema.subject.table {
            for person in 0..<people { add(to: table, wanting: person, owners: [person]) }
            return
        }
        guard table.leads.contains(where: \.owns) else {
            for _ in 0..<(people + 2) { add(to: table, wanting: nil) }
            return
        }
        for person in 0..<people {
            // A value that belongs to a subject by a type may have another type, and a unique key may be taken.
            for attempt in 0..<16 where attempt < 2 || !has(person, in: table) { add(to: table, wanting: person) }
        }
    }

    private func has(_ person: Int, in table: CorpusTable) -> Bool {
        record.rows[table.name]?.contains { $0.owners.contains(person) } == true
    }

    /// One row, which is to be this person's; none where it would repeat a unique key or lacks what it must name.
    private mutating func add(to table: CorpusTable, wanting person: Int?, owners: Set<Int> = []) {
        var draft = Draft(table: table, owners: owners)
        chooseTypes(&draft)
        let active = table.leads.filter { lead in
            lead.condition.map { draft[$0.column]?.text == $0.value } ?? true
        }
        let ways = active.filter(\.owns)
        let way = person == nil || ways.isEmpty ? nil : ways[random.below(ways.count)]
        if let way { guard follow(way, for: person, &draft) else { return } }
        for lead in active where lead != way {
            guard !lead.columns.allSatisfy({ draft[$0] != nil }) else { continue }
            let mayBeNull = lead.form != .value || lead.columns.allSatisfy { draft.isNullable($0) }
            if mayBeNull && random.isOne(in: 4) {
                for column in lead.columns where draft.isNullable(column) && draft[column] == nil {
                    draft[column] = .init(text: nil, form: lead.form)
                }
                if lead.columns.allSatisfy({ draft[$0] != nil }) { continue }
            }
            guard follow(lead, for: nil, &draft) || mayBeNull else { return }
        }
        let number = counters[table.name, default: 0]
        counters[table.name] = number + 1
        var values = CorpusValues(schema: schema, table: table, dialect: dialect, number: number, people: people)
        let mark = random.pick(draft.owners.sorted()).map(CorpusRecord.mark) ?? "public"
        for column in table.columns where draft[column.name] == nil {
            // A type without a row of that type, and a key without a value.
            let isLink = table.leads.contains { $0.columns.contains(column.name) && $0.form == .value }
            draft[column.name] = .init(
                text: isLink && column.isNullable ? nil : values.text(of: column, mark: mark, &random))
        }
        keep(draft)
    }

    private mutating func keep(_ draft: Draft) {
        for key in [draft.table.primaryKey] + draft.table.uniqueKeys where !key.isEmpty {
            let values = key.compactMap { draft[$0]?.text }
            guard values.count == key.count else { continue }
            guard taken["\(draft.table.name) \(key)", default: []].insert(values).inserted else { return }
        }
        let cells = draft.table.columns.map { draft[$0.name] ?? .init(text: nil) }
        record.rows[draft.table.name, default: []].append(.init(cells: cells, owners: draft.owners))
    }

    private mutating func chooseTypes(_ draft: inout Draft) {
        for column in draft.table.typeColumns {
            let leads = draft.table.leads.filter { $0.condition?.column == column }
            let values = Set(leads.compactMap(\.condition?.value)).sorted()
            let mayBeNull = draft.isNullable(column) && leads.allSatisfy { $0.columns.allSatisfy(draft.isNullable) }
            draft[column] = .init(text: mayBeNull && random.isOne(in: 6) ? nil : random.pick(values))
        }
    }

    // MARK: Naming rows

    /// Lets a row name another one; `false` where there is none to name.
    private mutating func follow(_ lead: CorpusLead, for person: Int?, _ draft: inout Draft) -> Bool {
        let rows = record.rows[lead.target] ?? []
        guard let target = schema[lead.target] else { return false }
        let places = lead.targetColumns.compactMap { target.place(of: $0) }
        let fixed = lead.columns.map { draft[$0]?.text }
        let possible = rows.indices.filter { row in
            let values = places.map { rows[row].cells[$0].text }
            return values.allSatisfy { $0 != nil }
                && zip(fixed, values).allSatisfy { $0 == nil || $0 == $1 }
        }
        guard !possible.isEmpty else { return false }
        if lead.form == .list { return list(lead, possible, places[0], &draft) }
        let own = possible.filter { row in person.map { rows[row].owners.contains($0) } ?? true }
        let subjects = possible.filter { !rows[$0].owners.isDisjoint(with: [1, 2, 3]) }
        let isSmall = people < 20
        let preferred = lead.kind == .names && isSmall && !subjects.isEmpty && !random.isOne(in: 3) ? subjects : own
        guard let row = random.pick(preferred.isEmpty ? possible : preferred) else { return false }
        for (column, place) in zip(lead.columns, places) where draft[column] == nil {
            let text = rows[row].cells[place].text ?? ""
            var cell = CorpusRecord.Cell(text: written(text, draft.column(column)), form: lead.form)
            if lead.kind == .names {
                cell.names = [.init(table: lead.target, row: row, text: text)]
                cell.otherwise = lead.otherwise
            }
            if case .path(let path) = lead.form { cell.text = json(path, text, of: target, lead, draft) }
            draft[column] = cell
        }
        if lead.owns { draft.owners.formUnion(rows[row].owners) }
        return true
    }

    private mutating func list(_ lead: CorpusLead, _ rows: [Int], _ place: Int, _ draft: inout Draft) -> Bool {
        let chosen = Set((0..<3).compactMap { _ in random.pick(rows) }).sorted()
        let names = chosen.map { row in
            CorpusRecord.Reference(
                table: lead.target, row: row, text: record.rows[lead.target]?[row].cells[place].text ?? "")
        }
        let isArray = dialect == .postgresql && draft.column(lead.columns[0])?.type.hasSuffix("[]") == true
        let text = CorpusRecord.list(names.map(\.text), like: isArray ? "{" : "[")
        draft[lead.columns[0]] = .init(text: text, names: names, form: .list)
        return true
    }

    /// How SQLite writes a number in a column of real numbers.
    private func written(_ text: String, _ column: CorpusTable.Column?) -> String {
        column?.type == "real" ? text + ".0" : text
    }

    private func json(
        _ path: [String], _ text: String, of target: CorpusTable, _ lead: CorpusLead, _ draft: Draft
    ) -> String {
        let kind = target.columns.first { $0.name == lead.targetColumns[0] }?.type ?? ""
        let value = ["bigint", "integer"].contains(kind) ? text : "\"\(text)\""
        let inner = path.dropFirst().reversed().reduce(value) { "{\"\($1)\": \($0)}" }
        return "{\"n\": \"\(draft.table.name)\", \"\(path[0])\": \(inner)}"
    }

    /// A row that is being made.
    private struct Draft {
        let table: CorpusTable
        var owners: Set<Int>
        private var cells: [String: CorpusRecord.Cell] = [:]

        init(table: CorpusTable, owners: Set<Int>) {
            self.table = table
            self.owners = owners
        }

        subscript(column: String) -> CorpusRecord.Cell? {
            get { cells[column] }
            set { cells[column] = newValue }
        }

        func column(_ name: String) -> CorpusTable.Column? { table.columns.first { $0.name == name } }

        func isNullable(_ name: String) -> Bool { column(name)?.isNullable == true }
    }
}
