// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension Plan {
    /// The same with an entry for each table that the plan leaves to a vendor's profile, and for what the session
    /// authority has added to its own tables.
    package func completed(in schema: Schema) -> Plan {
        isCompleted(in: schema) ? CompletedPlan(self, SchemaMap(schema)).plan : self
    }

    /// Whether entries may follow from more than the plan itself.
    package func isCompleted(in schema: Schema) -> Bool {
        !vendors.isEmpty || schema.hasExtensionTables || OwnTables(schema) != nil
    }

    /// Whether the plan says that a table is in a vendor's place.
    package func isOfVendor(_ table: TableName) -> Bool { vendors.contains { $0.names(table) } }

    /// The profile that covers a table, where the plan leaves it to one.
    func vendor(of table: SchemaTable, _ role: SchemaRole) -> VendorProfile? {
        vendors.lazy.compactMap { coverage -> VendorProfile? in
            guard let profile = VendorProfile.named(coverage.vendor), coverage.names(table.name),
                profile.owns(table, for: role)
            else { return nil }
            return profile
        }.first
    }
}

extension VendorCoverage {
    fileprivate func names(_ table: TableName) -> Bool {
        places.contains { place in
            switch place {
            case .schema(let name): table.schema?.utf8.elementsEqual(name.utf8) == true
            case .table(let name): name == table
            }
        }
    }
}

extension Plan {
    /// Whether a column that is new in a table of a vendor or an extension needs no decision: the rows are deleted, or
    /// none of them is the subject's.
    func isTolerant(_ entry: TablePlan) -> Bool {
        guard entry.rule.rowsStay else { return true }
        guard entry.rule.retention == nil else { return false }
        if leavesToVendor(entry) { return entry.columns.allSatisfy { $0.rule?.isNotPersonal != false } }
        return !entry.links.isEmpty && entry.links.allSatisfy(\.isReference)
    }

    /// Whether the plan itself deletes no row of a table whose rows the vendor deletes.
    func leavesToVendor(_ entry: TablePlan) -> Bool { entry.rule.rowsStay && hasVendorErase(entry.table) }

    /// Whether a table is that of a vendor's users, and a system of the plan has the vendor delete them.
    func hasVendorErase(_ table: TableName) -> Bool {
        vendors.compactMap { VendorProfile.named($0.vendor)?.users }.contains { users in
            users.table == table && systems(.identity).contains { $0.kind == users.system }
        }
    }
}
