// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Adds to the draft of a plan what is known of the vendors in a database.
struct VendorDraft {
    private let map: SchemaMap
    private let profiles: [VendorProfile]
    private let coverages: [VendorCoverage]
    private let surroundings: VendorSurroundings
    private var plan: Plan
    private var notes: [PlanNote]
    private let withheld: [PlanQuestion: PlanQuestion]
    private let added: Set<PlanQuestion>

    /// - Parameters:
    ///   - draft: A draft of the schema without the vendors' tables.
    ///   - map: The whole schema.
    init(
        _ draft: PlanDraft, _ map: SchemaMap, _ found: [(profile: VendorProfile, coverage: VendorCoverage)],
        _ surroundings: VendorSurroundings
    ) {
        self.map = map
        profiles = found.map(\.profile)
        coverages = found.map(\.coverage)
        self.surroundings = surroundings
        plan = draft.plan
        notes = draft.notes
        withheld = draft.withheld
        added = draft.added
    }

    /// The schema without the tables that profiles cover: the app's own, the vendors' users, the subject's table, and
    /// the passages to it.
    static func own(
        _ map: SchemaMap, _ profiles: [VendorProfile], subject: TableName?, _ passages: VendorPassages? = nil
    ) -> SchemaMap {
        let users = profiles.compactMap { $0.users?.table } + [subject].compactMap(\.self)
        var schema = map.schema
        schema.tables = schema.tables.compactMap { table in
            let listed = map[map.listedName(of: table.name)] ?? table
            if users.contains(listed.name) { return table }
            if let passages, passages.links[listed.name] != nil { return passages.passage(table, in: map) }
            let isLeft = ExtensionTables.isLeft(listed) || profiles.contains { $0.owns(listed, for: schema.role) }
            return isLeft ? nil : table
        }
        return SchemaMap(schema)
    }

    /// The entries that the facts about a plan's vendors propose for tables that the plan leaves to them: an earlier
    /// draft did not know them, or its author removed them.
    static func missing(in plan: Plan, _ map: SchemaMap) -> PlanDraft {
        let found = VendorProfile.found(in: map).filter { found in
            plan.vendors.contains { $0.vendor.utf8.elementsEqual(found.profile.name.utf8) }
        }
        var draft = VendorDraft(PlanDraft(plan: plan, notes: []), map, found, VendorSurroundings())
        for profile in draft.profiles {
            draft.leads(profile)
            draft.carriers(profile)
            draft.unsearched(profile)
        }
        let known = Set(plan.tables.map(\.table))
        draft.plan.tables.removeAll { entry in
            known.contains(entry.table) || map[entry.table].map { plan.vendor(of: $0, map.schema.role) == nil } ?? true
        }
        return PlanDraft(plan: draft.plan, notes: draft.notes)
    }

    mutating func finish() -> PlanDraft {
        plan.vendors = coverages
        for profile in profiles {
            notes.append(
                PlanNote(
                    "\(profile.title): its tables are known (facts of \(profile.date)); \(sentence(about: profile))."))
            identity(profile)
            leads(profile)
            carriers(profile)
            keys(profile)
            unsearched(profile)
            files(profile)
            mentions(profile)
        }
        plan.tables.sort { $0.table < $1.table }
        return PlanDraft(plan: plan, notes: notes, withheld: withheld, added: added)
    }

    private func sentence(about profile: VendorProfile) -> String {
        profile.leads.isEmpty && profile.users == nil
            ? "none of them has personal data" : "those with data of users are listed below, the others are left to it"
    }

    // MARK: Users

    /// By row if the role may delete users, otherwise by the vendor's own interface, which deletes them last.
    private mutating func identity(_ profile: VendorProfile) {
        guard let users = profile.users, let table = map[users.table],
            let place = plan.tables.firstIndex(where: { $0.table == users.table }),
            plan.tables[place].rule.erasesRows
        else { return }
        plan.tables[place].columns = []
        guard !Self.mayDelete(in: table, map) else { return }
        plan.tables[place].rule = .anonymise
        plan.tables[place].columns = table.columns.map { TablePlan.PlannedColumn($0.name, .notPersonal) }
        var system = SystemPlan(name: users.system, kind: users.system, stage: .identity)
        system.settings = ["endpoint": address("/auth/v1")]
        system.secrets = ["key": Self.key]
        plan.systems.append(system)
        notes.append(
            PlanNote(
                table: users.table,
                "This role may not delete users, so the system \(users.system) does it, after everything else."))
    }

    /// Whether the role may delete in a table, and in those whose rows are deleted with its rows.
    static func mayDelete(in table: SchemaTable, _ map: SchemaMap) -> Bool {
        var passed: Set<TableName> = []
        var open = [table.name]
        while let name = open.popLast() {
            guard passed.insert(name).inserted, let table = map[name] else { continue }
            guard table.isReadable, !table.missingRights.contains("delete"), !table.rowSecurity.appliesToRole else {
                return false
            }
            open += map.keys(to: name).filter { !PlanReach.empties($0.key) }.map(\.table)
        }
        return true
    }

    /// The target of links to a user: the vendor's own table of users, or the subject.
    private func target(_ profile: VendorProfile) -> ColumnName? {
        let subject = ColumnName(plan.subject.table, plan.subject.key)
        guard let users = profile.users else { return subject }
        let account = ColumnName(users.table, users.key)
        return plan[users.table]?.rule.isPersonal == true ? account : nil
    }

    // MARK: Links without keys

    private mutating func leads(_ profile: VendorProfile) {
        guard let target = target(profile) else { return }
        for lead in profile.leads {
            let links = lead.ways.compactMap { link($0, in: lead.table, to: target) }
            lead.role == .owner ? add(lead.table, links, note: lead.note) : clear(lead, links)
        }
    }

    /// A table whose rows stay and stop naming the user.
    private mutating func clear(_ lead: VendorProfile.Lead, _ links: [Link]) {
        guard let table = map[lead.table], !links.isEmpty, plan[lead.table] == nil else { return }
        guard mayRead(table), !table.missingRights.contains("update") else {
            let columns = links.flatMap(\.columns).joined(separator: ", ")
            notes.append(
                PlanNote(
                    "\(lead.table.description): this role may not change rows here, so \(columns) go on naming the "
                        + "user. \(lead.note)"))
            return
        }
        let references = links.map { link in
            var link = link
            link.role = .reference
            return link
        }
        plan.tables.append(TablePlan(table: lead.table, rule: .anonymise, links: references, columns: []))
        notes.append(PlanNote(table: lead.table, lead.note))
    }

    private func link(_ way: VendorProfile.Way, in table: TableName, to target: ColumnName) -> Link? {
        let target = way.target ?? target
        guard map.column(table, way.column) != nil, let key = map.column(target.table, target.column),
            plan[target.table]?.rule.isPersonal == true, way.list != .uuids || key.kind == .uuid
        else { return nil }
        var link = Link(
            columns: [way.column], path: way.path, target: target.table, targetColumns: [target.column])
        link.list = way.list
        if way.list != nil { link.role = .owner }
        return link
    }

    private mutating func add(_ name: TableName, _ links: [Link], note: String) {
        guard let table = map[name], !links.isEmpty, plan[name] == nil else { return }
        guard Self.mayDelete(in: table, map) else {
            notes.append(
                PlanNote(
                    "\(name.description): this role may not delete here, so a user's data remains. \(note)"))
            return
        }
        plan.tables.append(TablePlan(table: name, rule: .erase, links: links, columns: []))
        notes.append(PlanNote(table: name, note))
    }

    /// The app's rows inside documents: below each member by each column of the app that names its owner.
    private mutating func carriers(_ profile: VendorProfile) {
        guard let target = target(profile) else { return }
        let own = plan.tables.filter { entry in
            entry.rule.erasesRows && entry.table != target.table
                && map[entry.table].map { !profile.owns($0, for: map.schema.role) } ?? false
        }
        let names = own.flatMap(\.links).filter { link in
            link.columns.count == 1 && link.path.isEmpty && link.list == nil && !link.isReference
                && link.target == target.table && link.targetColumns == [target.column]
        }.map { $0.columns[0] }
        for carrier in profile.carriers where map.column(carrier.table, carrier.column) != nil {
            let links = carrier.members.flatMap { member in
                Set(names).sorted().prefix(20).map { name in
                    Link(
                        columns: [carrier.column], path: member + [name], target: target.table,
                        targetColumns: [target.column])
                }
            }
            add(carrier.table, links, note: carrier.note)
        }
    }

    /// Keys of the database from the tables added here to others whose rows are erased.
    private mutating func keys(_ profile: VendorProfile) {
        let gone = Set(CompletedPlan(plan, map).plan.tables.filter(\.rule.erasesRows).map(\.table))
        for place in plan.tables.indices {
            let name = plan.tables[place].table
            guard let table = map[name], profile.owns(table, for: map.schema.role), name != plan.subject.table else {
                continue
            }
            for key in map.keys(of: name).map(\.key)
            where key.isPaired && gone.contains(key.target) && key.target != name && !PlanReach.empties(key)
                && !plan.tables[place].links.contains(where: { key.isSame(as: $0) })
            {
                plan.tables[place].links.append(key.link)
            }
            guard plan.tables[place].links.count > 1, plan.tables[place].rule.erasesRows else { continue }
            for link in plan.tables[place].links.indices {
                plan.tables[place].links[link].role = .owner
                plan.tables[place].links[link].shared = .erase
            }
        }
    }

    // MARK: Tables that the facts do not know

    /// Asks whose the rows are, column by column. Where the role may not delete them, an answer would help nothing.
    private mutating func unsearched(_ profile: VendorProfile) {
        let completed = CompletedPlan(plan, map)
        for unknown in completed.unsearched where unknown.vendor == profile.title && !unknown.columns.isEmpty {
            guard let table = map[unknown.table], let entry = completed.plan[unknown.table] else { continue }
            guard Self.mayDelete(in: table, map) else {
                notes.append(
                    PlanNote("\(table.name.description): this role may not delete here. \(unknown.place.reason)."))
                continue
            }
            plan.tables.append(entry)
            plan.questions += unknown.columns.map { question($0, unknown, in: table, profile) }
            notes.append(PlanNote(table: table.name, "This table is \(unknown.place.reason)."))
        }
    }

    private func question(
        _ column: String, _ unknown: UnsearchedTable, in table: SchemaTable, _ profile: VendorProfile
    ) -> PlanQuestion {
        let isEmptied = unknown.emptied.contains(column)
        let key = map.keys(of: table.name).map(\.key).first { PlanReach.empties($0) && $0.columns == [column] }
        let link = key?.link ?? suspected(column, in: table, profile)
        let reason =
            isEmptied
            ? "The database only empties this column when a user is deleted, and the rest of the row would stay."
            : "The column may name a user."
        let isOther = [.maker, .handler, .otherSide].contains(PersonNames.role(column))
        let likely: [PlanQuestion.Answer] = isOther ? [.reference, .owner] : [.owner, .reference]
        // A column that the database empties names a user.
        let answers = link == nil ? [.unrelated] : isEmptied ? likely : likely + [.unrelated]
        return DraftedQuestions.withValue(
            PlanQuestion(
                table: table.name, columns: [column],
                reason: "The table is not in this version's facts about \(unknown.vendor) of \(unknown.date). "
                    + reason, link: link, answers: answers), in: table, map)
    }

    /// A link to the user by a column without a key: by the user's key, or by an address.
    private func suspected(_ name: String, in table: SchemaTable, _ profile: VendorProfile) -> Link? {
        guard let target = target(profile), let column = table[name] else { return nil }
        let isAddress = ["email", "mail"].contains(PersonNames.words(name).last ?? "")
        let way = VendorProfile.Way(
            column: name, target: isAddress ? ColumnName(target.table, "email") : target)
        guard let wanted = way.target.flatMap({ map.column($0.table, $0.column) }), wanted.kind == column.kind else {
            return nil
        }
        return link(way, in: table.name, to: target)
    }

    /// Names the columns that nothing clears, in one note for each table that is here.
    private mutating func mentions(_ profile: VendorProfile) {
        let found = profile.mentions.compactMap { mention -> PlanNote? in
            let columns = mention.columns.filter { map.column(mention.table, $0) != nil }
            guard !columns.isEmpty else { return nil }
            return PlanNote(
                "\(mention.table.description): \(columns.joined(separator: ", ")) may name a user. \(mention.note)")
        }
        guard !found.isEmpty else { return }
        notes.append(PlanNote("No rule changes the following columns; `verify --deep` finds a user in them."))
        notes += found
    }

    // MARK: Files

    /// One system for each bucket. A bucket's own owner is its creator; the files in it belong to other users.
    private mutating func files(_ profile: VendorProfile) {
        guard let files = profile.files, let table = map[files.table] else { return }
        guard let buckets = surroundings.buckets else {
            notes.append(
                PlanNote(
                    "\(files.table.description): the names of the buckets cannot be read. Add a system of the kind "
                        + "\(files.system) for each bucket. `check` reports files that no system deletes."))
            return
        }
        let owners = files.owners.filter { table[$0] != nil }
        for bucket in buckets {
            var system = SystemPlan(name: "storage-\(bucket)", kind: files.system)
            system.settings = ["endpoint": address("/storage/v1"), "bucket": bucket, "prefix": "{person}/"]
            system.secrets = ["key": Self.key]
            if mayRead(table), !owners.isEmpty, table[files.bucket] != nil {
                system.owned = OwnedItems(
                    column: ColumnName(files.table, files.name), owners: owners,
                    condition: LinkCondition([LinkCondition.Part(column: files.bucket, values: [bucket])]))
            }
            plan.systems.append(system)
        }
        guard !buckets.isEmpty else { return }
        notes.append(
            PlanNote(
                "The Storage API deletes files, never SQL: those in the folder with the user's id, and those "
                    + "that the user owns. If a bucket has another layout, correct its `prefix`."))
        guard surroundings.address == nil else { return }
        notes.append(
            PlanNote("The project's address is not known: set SUPABASE_URL, or write it in place of \(Self.nowhere)."))
    }

    private func mayRead(_ table: SchemaTable) -> Bool { table.isReadable && !table.rowSecurity.appliesToRole }

    private func address(_ path: String) -> String { (surroundings.address ?? Self.nowhere) + path }

    /// In place of a project's address that is not known.
    static let nowhere = "https://PROJECT.supabase.co"
    private static let key = SecretPlace.environment("SUPABASE_SERVICE_ROLE_KEY")
}
