// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Chinook's rows about people, in a fixed order: for each row its table's name and then each column.
struct CustomerRows: Equatable {
    var customers: [[String]]
    var invoices: [[String]]
    var lines: [[String]]
    var employees: [[String]]

    init(_ rows: [String]) {
        let tables = Dictionary(grouping: rows.sorted().map(Self.values)) { Self.bare($0[0]) }
        customers = tables["customer", default: []]
        invoices = tables["invoice", default: []]
        lines = tables["invoiceline", default: []]
        employees = tables["employee", default: []]
    }

    /// Whether a table holds anything of people; the others are of music.
    static func areIn(_ table: TableName) -> Bool {
        ["customer", "invoice", "invoiceline", "employee"].contains(bare(table.name))
    }

    private static func values(_ row: String) -> [String] {
        row.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    }

    /// `public.invoice_line` and `InvoiceLine` are `invoiceline`.
    private static func bare(_ table: String) -> String {
        table.lowercased().replacing("public.", with: "").replacing("_", with: "")
    }

    func invoices(of customer: Int) -> [[String]] { invoices.filter { $0[2] == Self.key(customer) } }

    func lines(of customer: Int) -> [[String]] {
        let numbers = Set(invoices(of: customer).map { $0[1] })
        return lines.filter { numbers.contains($0[2]) }
    }

    /// Without a customer's own row and invoices.
    func others(than customer: Int) -> CustomerRows {
        var others = self
        others.customers.removeAll { $0[1] == Self.key(customer) }
        others.invoices.removeAll { $0[2] == Self.key(customer) }
        return others
    }

    /// With one word for every e-mail address that was hashed: the key of its hash died with the run.
    var withoutHashes: CustomerRows {
        var same = self
        for place in same.customers.indices where !same.customers[place][Self.email].contains("@") {
            same.customers[place][Self.email] = "hashed"
        }
        return same
    }

    var emails: [String] { customers.map { $0[Self.email] } }

    private static let email = 12
    private static func key(_ customer: Int) -> String { SQLValue.integer(Int64(customer)).written }
}

extension ExampleJourney {
    func customerRows() async throws -> CustomerRows { CustomerRows(try await rows(of: CustomerRows.areIn)) }
}
