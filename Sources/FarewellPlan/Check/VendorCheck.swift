// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Tables that a plan leaves to vendor profiles belong to the vendor, and a vendor's changes to its own tables stop no
/// erasure.
struct VendorCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.plan.vendors.flatMap(coverage) + changes() + removals() + extensions() + ofAuthority() + owned()
            + notPersonal() + leftOut()
    }

    /// Tables with data of the vendor's users that a plan calls not personal, as plans from before the profile do.
    private func notPersonal() -> [Finding] {
        VendorProfile.found(in: context.map).map(\.profile).flatMap { profile in
            let files = profile.files.map {
                VendorProfile.Lead(
                    table: $0.table, ways: $0.owners.map { VendorProfile.Way(column: $0) },
                    note: "Each row names the owner of a file.")
            }
            return (profile.leads + [files].compactMap(\.self)).compactMap { lead in
                notPersonal(lead, profile.title)
            }
        }
    }

    private func notPersonal(_ lead: VendorProfile.Lead, _ vendor: String) -> Finding? {
        guard let entry = context.completed.original[lead.table], !entry.rule.isPersonal,
            let column = lead.ways.map(\.column).first(where: { context.map.column(lead.table, $0) != nil }),
            entry.columns.first(where: { $0.name == column })?.rule?.isNotPersonal != true
        else { return nil }
        return Finding(
            "vendor.not-personal", .warning, table: lead.table, column: column,
            "\(vendor) stores data of users here, and the plan calls the table not personal. \(lead.note)",
            remedy:
                "Remove the entry; `farewell init --merge` proposes another one. Or state that none of it is personal: "
                + "{\(Shown.line(column, limit: 120)): not personal} in `columns`.")
    }

    /// Tables with data of the vendor's users that a plan leaves to the profile, whose rows would stay: the facts grow,
    /// and a plan from before knows less.
    private func leftOut() -> [Finding] {
        let plan = context.completed.original
        guard !plan.vendors.isEmpty else { return [] }
        let missing = VendorDraft.missing(in: plan, context.map)
        return missing.plan.tables.filter { !context.completed.unknown.contains($0.table) }.map { entry in
            let note = missing.notes.first { $0.table == entry.table }?.text ?? ""
            let columns = entry.links.flatMap(\.columns).exactlyDistinct.joined(separator: ", ")
            return Finding(
                "vendor.not-personal", .warning, table: entry.table,
                "The vendor stores data of users here (\(columns)), and the plan has no entry for the table, so an "
                    + "erasure leaves it as it is. \(note)",
                remedy: "`farewell init --merge` adds an entry. Or give the table one that calls it not personal, its "
                    + "columns as well.")
        }
    }

    private func coverage(_ coverage: VendorCoverage) -> [Finding] {
        guard let profile = VendorProfile.named(coverage.vendor) else {
            let names = VendorProfile.all.map(\.name)
            return [
                Finding(
                    "vendor.unknown", .error,
                    "The plan leaves tables to \(Shown.name(coverage.vendor)), which is not a known vendor"
                        + "\(context.hints.hint(coverage.vendor, in: names)).",
                    remedy: "Known vendors: \(names.joined(separator: ", ")). Give the tables their own entries.")
            ]
        }
        return coverage.places.compactMap { place in
            let isTheirs =
                switch place {
                case .schema(let name): profile.schemas[name] != nil
                case .table(let name):
                    context.map[name].map { profile.owns($0, for: context.map.schema.role) } ?? true
                        || profile.name == VendorProfile.farewell.name && context.completed.own?.contains(name) == true
                }
            guard !isTheirs else { return nil }
            return Finding(
                "vendor.place", .error,
                "The plan leaves \(Shown.line(place.description, limit: 160)) to \(profile.title), which lacks it.",
                remedy: "Give the tables their own entries: `farewell init --merge` proposes them.")
        }
    }

    /// Findings about tables that the team can neither change nor index.
    func adjusted(_ findings: [Finding]) -> [Finding] {
        let left = Set(context.completed.ofExtensions.flatMap(\.tables))
        let findings = findings.filter { finding in !(finding.table.map(left.contains) ?? false) }
        guard !context.plan.vendors.isEmpty else { return findings }
        var indexes: Set<TableName> = []
        return findings.compactMap { finding in
            guard let name = finding.table, let table = context.map[name],
                let profile = context.plan.vendor(of: table, context.map.schema.role)
            else { return finding }
            var finding = finding
            if finding.code.rawValue.hasPrefix("index.") {
                guard indexes.insert(name).inserted else { return nil }
                (finding.severity, finding.column, finding.remedy) = (.note, nil, nil)
                finding.message =
                    "No index of the vendor finds a user's rows here, so each erasure reads the whole table."
            }
            // The team need not grant rights that the plan does not use.
            if finding.code == "right.missing", finding.severity == .warning { return nil }
            guard context.completed.implied.contains(name), finding.code.rawValue != "account.stays" else {
                return finding
            }
            // The facts cover a known table completely; an unknown table is reported to the plan's author.
            guard finding.severity == .error, !profile.knows(table) else { return nil }
            // `vendor.new-table` says so with another remedy: other columns of the row may be personal as well.
            guard finding.code != "key.leads-to-person" else { return nil }
            finding.severity = .warning
            return finding
        }
    }

    private func changes() -> [Finding] {
        let unsearched = Dictionary(
            context.completed.unsearched.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        let tables = context.completed.unknown.sorted().map { name in
            if let table = unsearched[name], !table.columns.isEmpty { return Self.finding(table) }
            return Finding(
                "vendor.new-table", .note, table: name,
                "The vendor's table is newer than the profile in this version. Only a cascading key of the database "
                    + "deletes its rows; the erasure searches for nothing else in it.",
                remedy: "If it contains data of users, give it an entry.")
        }
        let columns = context.completed.added.filter { !context.isFullyListed($0.table) }.map { column in
            Finding(
                "vendor.new-column", .note, table: column.table, column: column.column,
                "The table's owner, a vendor or an extension, added this column; the table's rule applies to it.")
        }
        return tables + columns
    }

    private static func finding(_ table: UnsearchedTable) -> Finding {
        let emptied = table.columns.filter(table.emptied.contains)
        let what =
            emptied.isEmpty
            ? "\(table.columns.joined(separator: ", ")) may name a user"
            : "the database only empties \(emptied.joined(separator: ", ")) when a user is deleted"
        return Finding(
            "vendor.new-table", .warning, table: table.table, column: table.columns.first,
            "The vendor's table is newer than the profile in this version, and \(what): an erasure would leave the "
                + "user's rows here, and receipts name the table as not searched.",
            remedy: "`farewell init --merge` asks whose the rows are. Or give the table an entry that calls it not "
                + "personal, its columns as well.")
    }

    private func removals() -> [Finding] {
        let tables = context.completed.removed.tables.map { name in
            Finding(
                "vendor.removed", .note, table: name,
                "The plan names this table, which the vendor has removed: an erasure looks for nothing here.",
                remedy: "If the vendor has renamed it, give the other table an entry.")
        }
        let columns = context.completed.removed.columns.map { column in
            Finding(
                "vendor.removed", .note, table: column.table, column: column.column,
                "The plan names this column, which the vendor has removed: an erasure looks for nothing in it.",
                remedy: "If the vendor has renamed it, correct the name.")
        }
        return tables + columns
    }

    private func extensions() -> [Finding] {
        context.completed.ofExtensions.map { name, tables in
            Finding(
                "table.of-extension", .note, ExtensionTables.sentence(name, tables),
                remedy: "If one contains data of users, give it an entry.")
        }
    }

    /// Additions of a new version to the session authority's own tables since the plan was written.
    private func ofAuthority() -> [Finding] {
        let tables = context.completed.ownTables.map { name in
            Finding(
                "authority.new-table", .note, table: name,
                "A table of Farewell's own session authority, which the plan lacks: "
                    + (context.isErased(name)
                        ? "its rows are deleted with the user." : "an erasure leaves its rows, as with a new plan."),
                remedy: "`farewell init --merge` adds an entry.")
        }
        let columns = context.completed.ownColumns.map { column in
            Finding(
                "authority.new-column", .note, table: column.table, column: column.column,
                "A column of Farewell's own session authority, which the plan lacks; the table's rule applies to it.",
                remedy: "`farewell init --merge` adds it.")
        }
        return tables + columns
    }

    // MARK: Items of systems

    private func owned() -> [Finding] {
        context.plan.systems.compactMap { system in system.owned.flatMap { finding($0, of: system) } }
    }

    private func finding(_ owned: OwnedItems, of system: SystemPlan) -> Finding? {
        let name = Shown.name(system.name)
        guard let table = context.map[owned.column.table] else {
            return Finding(
                "system.owned", .error, table: owned.column.table,
                "The system \(name) looks for items in a table that does not exist.", remedy: "Correct `owned`.")
        }
        let columns = [owned.column.column] + owned.owners + owned.condition.parts.map(\.column)
        if let wrong = columns.first(where: { table[$0] == nil }) {
            return Finding(
                "system.owned", .error, table: table.name, column: wrong,
                "The system \(name) looks for items by a column that this table does not have.",
                remedy: "Correct `owned`.")
        }
        guard !table.isReadable || table.rowSecurity.appliesToRole else { return nil }
        return Finding(
            "system.owned", .error, table: table.name,
            "The system \(name) looks for items here, but this role does not see all rows.",
            remedy:
                "Grant it SELECT on the table and BYPASSRLS, or remove `owned` if all items are in the subject's "
                + "own folder.")
    }
}

extension CheckContext {
    /// Whether a table is that of a vendor's users, and a system of the plan has the vendor delete them.
    func isErasedBySystem(_ table: TableName) -> Bool { plan.hasVendorErase(table) }

    /// Whether a plan names no column of a table at all, and so means all of them.
    func isFullyListed(_ table: TableName) -> Bool {
        completed.original[table]?.columns.isEmpty == true
    }
}
