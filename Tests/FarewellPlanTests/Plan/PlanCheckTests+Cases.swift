// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL

extension PlanCheckTests {
    static let cases = coverage + links + neighbours + columns + database + suspicions + postgresql

    private static let coverage: [CheckCase] = [
        CheckCase("a new table", "table.unaccounted") { _, schema in
            schema.tables.append(SchemaSketch.table("public.events", "id uuid pk"))
        },
        CheckCase("a new column", "column.unaccounted") { _, schema in
            schema.edit("public.countries") { $0.columns.append(.init(name: "flag", type: "text", kind: .text)) }
        },
        CheckCase("a table that vanished", "table.unknown") { _, schema in
            schema.tables.removeAll { $0.name.name == "countries" }
        },
        CheckCase("a column that vanished", "column.unknown") { _, schema in
            schema.edit("public.countries") { $0.columns.removeLast() }
        },
        CheckCase("an entry for a partition", "table.partition", .warning) { plan, schema in
            var partition = SchemaSketch.table("public.posts_1", kind: .partition, "id uuid pk")
            partition.parents = [TableName(schema: "public", "posts")]
            schema.tables.append(partition)
            plan.tables.append(TablePlan(table: partition.name, rule: .notPersonal, columns: [.init("id")]))
        },
        CheckCase("an entry whose name has other bytes than the table's", "table.unknown") { plan, schema in
            schema.tables.append(SchemaSketch.table("\"caf\u{E9}\"", "id uuid pk"))
            plan.tables.append(TablePlan(table: TableName("cafe\\u{301}"), rule: .notPersonal, columns: [.init("id")]))
        },
        CheckCase("a subject that does not exist", "subject.unknown") { plan, _ in plan.subject.key = "ide" },
        CheckCase("a subject's key that is not unique", "subject.key-not-unique") { plan, _ in
            plan.subject.key = "phone"
        },
        CheckCase("a subject called not personal", "subject.not-personal") { plan, _ in
            plan.edit("auth.users") { $0.rule = .notPersonal }
        },
        CheckCase("an identifier that does not exist", "identifier.unknown") { plan, _ in
            plan.subject.identifiers[0].column = "e_mail"
        },
        CheckCase("no identifiers", "identifiers.none", .warning) { plan, _ in plan.subject.identifiers = [] },
        CheckCase("a folder of all users", "folder.everybody") { plan, _ in
            plan.folders = [FolderPlan(name: "a", root: "a", location: .folder(template: "all/"))]
        },
        CheckCase("a folder with prefix siblings", "folder.open-ended") { plan, _ in
            plan.folders = [FolderPlan(name: "a", root: "a", location: .folder(template: "{subject}"))]
        },
        CheckCase("a folder outside its root", "folder.outside") { plan, _ in
            plan.folders = [FolderPlan(name: "a", root: "a", location: .folder(template: "../{subject}/"))]
        },
        CheckCase("a folder of an unknown column", "folder.unknown-column") { plan, _ in
            let column = ColumnName(TableName(schema: "public", "profiles"), "avatar")
            plan.folders = [FolderPlan(name: "a", root: "a", location: .column(column))]
        },
        CheckCase("a folder of a column that holds no path", "folder.unfit-column") { plan, _ in
            let column = ColumnName(TableName(schema: "public", "profiles"), "id")
            plan.folders = [FolderPlan(name: "a", root: "a", location: .column(column))]
        },
    ]

    private static let links: [CheckCase] = [
        CheckCase("a dropped key", "key.gone") { _, schema in
            schema.edit("public.profiles") { $0.foreignKeys = [] }
        },
        CheckCase("a key with another action", "key.changed") { _, schema in
            schema.edit("public.profiles") { $0.foreignKeys[0].onDelete = .setNull }
        },
        CheckCase("a key that the database has not validated", "key.not-validated", .warning) { _, schema in
            schema.edit("public.profiles") { $0.foreignKeys[0].isValidated = false }
        },
        CheckCase("a new key", "key.added") { plan, _ in plan.edit("public.matches") { $0.links.removeLast() } },
        CheckCase("a declared link that became a key", "key.added") { plan, _ in
            plan.edit("public.profiles") { $0.links[0].onDelete = nil }
        },
        CheckCase("an erased table without a link", "link.none") { plan, _ in
            plan.edit("public.countries") { $0.rule = .erase }
        },
        CheckCase("links in a circle that does not lead to the subject", "link.leads-nowhere") { plan, _ in
            plan.edit("public.countries") { entry in
                entry.rule = .erase
                entry.links = [Link(columns: ["name"], target: entry.table, targetColumns: ["code"])]
            }
        },
        CheckCase("rows that lead to each other", "link.cycle", .note) { plan, _ in
            plan.edit("public.posts") { entry in
                entry.links.append(Link(columns: ["body"], target: entry.table, targetColumns: ["id"]))
            }
        },
        CheckCase("an erased table whose links only unlink", "link.only-unlinks") { plan, _ in
            plan.edit("public.profiles") { $0.links[0].shared = .unlink }
        },
        CheckCase("two links that only unlink, through other tables", "link.unlinks-twice") { plan, _ in
            plan.edit("public.countries") { entry in
                entry.rule = .anonymise
                entry.links = ["code", "name"].map {
                    Link(columns: [$0], target: TableName(schema: "public", "matches"), targetColumns: ["id"], shared: .unlink)
                }
            }
        },
        CheckCase("a link from an unknown column", "link.unknown-column") { plan, _ in
            plan.edit("public.profiles") { $0.links[0].columns = ["idd"] }
        },
        CheckCase("a link to an unknown table", "link.unknown-target") { plan, _ in
            plan.edit("public.profiles") { $0.links[0].target = TableName("nowhere") }
        },
        CheckCase("a link to an unknown column", "link.unknown-target") { plan, _ in
            plan.edit("public.profiles") { $0.links[0].targetColumns = ["idd"] }
        },
        CheckCase("a link without pairs", "link.mismatch") { plan, _ in
            plan.edit("public.profiles") { $0.links[0].columns = [] }
        },
        CheckCase("a link to a table called not personal", "link.target-not-personal") { plan, _ in
            plan.edit("public.posts") { entry in
                entry.links[0].target = TableName(schema: "public", "countries")
                entry.links[0].targetColumns = ["code"]
            }
        },
        CheckCase("a link between types that never meet", "link.type") { plan, _ in
            plan.edit("public.invoices") { entry in
                entry.links = [
                    Link(columns: ["issued"], target: TableName(schema: "auth", "users"), targetColumns: ["id"])
                ]
            }
        },
        CheckCase("a link into JSON without a path", "link.type") { plan, schema in
            schema.edit("public.posts") { $0.columns.append(.init(name: "meta", type: "jsonb", kind: .json)) }
            plan.edit("public.posts") { entry in
                entry.columns.append(.init("meta", .notPersonal))
                entry.links.append(
                    Link(columns: ["meta"], target: TableName(schema: "auth", "users"), targetColumns: ["id"]))
            }
        },
        CheckCase("a path into a column that is not JSON", "link.type") { plan, _ in
            plan.edit("public.invoices") { $0.links[0].path = ["user"] }
        },
        CheckCase("links of a table called not personal", "link.unused", .warning) { plan, _ in
            let link = Link(columns: ["code"], target: TableName(schema: "auth", "users"), targetColumns: ["email"])
            plan.edit("public.countries") { $0.links = [link] }
        },
    ]

    private static let neighbours: [CheckCase] = [
        CheckCase("an own row that also names its inviter", "rule.touches-neighbour") { plan, schema in
            schema.edit("public.profiles") { table in
                table.columns.append(.init(name: "invited_by", type: "uuid", kind: .uuid))
                table.foreignKeys.append(
                    ForeignKey(
                        columns: ["invited_by"], target: TableName(schema: "auth", "users"), targetColumns: ["id"],
                        onDelete: .cascade))
            }
            plan.edit("public.profiles") { entry in
                entry.columns.append(.init("invited_by"))
                entry.links.append(
                    Link(
                        columns: ["invited_by"], target: TableName(schema: "auth", "users"), targetColumns: ["id"],
                        onDelete: .cascade))
            }
        },
        CheckCase("erasing where the database only sets null", "rule.touches-neighbour") { plan, _ in
            plan.edit("public.posts") { posts in
                posts.rule = .erase
                posts.links[0].role = nil
            }
        },
        CheckCase("emptying a column that may name another user", "column.touches-neighbour") { plan, schema in
            schema.edit("public.posts") { table in
                table.columns.append(.init(name: "editor", type: "uuid", kind: .uuid))
                table.foreignKeys.append(
                    ForeignKey(
                        columns: ["editor"], target: TableName(schema: "auth", "users"), targetColumns: ["id"],
                        onDelete: .setNull))
            }
            plan.edit("public.posts") { entry in
                entry.columns.append(.init("editor", .null))
                for place in entry.links.indices { entry.links[place].role = nil }
                entry.links.append(
                    Link(
                        columns: ["editor"], target: TableName(schema: "auth", "users"), targetColumns: ["id"],
                        onDelete: .setNull))
            }
        },
        CheckCase("unlinking a column that may not be null", "link.unlink-not-null") { plan, _ in
            plan.edit("public.matches") { $0.links[1].shared = .unlink }
        },
        CheckCase("a cascade into a table called not personal", "key.cascades-into") { plan, _ in
            plan.edit("public.matches") { $0.rule = .notPersonal }
        },
        CheckCase("a cascade into rows that are retained", "key.cascades-into") { plan, schema in
            schema.edit("public.invoices") { $0.foreignKeys[0].onDelete = .cascade }
            plan.edit("public.invoices") { entry in
                entry.links[0].onDelete = .cascade
                entry.columns[1].rule = .retain
            }
        },
        CheckCase("a restricting key of rows that stay", "key.blocks") { plan, _ in
            plan.edit("public.invoices") { $0.columns[1].rule = .retain }
        },
        CheckCase("a restricting key that an expression may leave as it is", "key.blocks") { plan, _ in
            plan.edit("public.invoices") { $0.columns[1].rule = .expression(.call(.coalesce, [.column("customer_id")])) }
        },
        CheckCase("a set-null key of a column that may not be null", "key.blocks") { plan, schema in
            schema.edit("public.posts") { $0.columns[1].isNullable = false }
            plan.edit("public.posts") { for place in $0.links.indices { $0.links[place].role = nil } }
        },
        CheckCase("a table called not personal that refers to people", "key.leads-to-person") { plan, _ in
            plan.edit("public.posts") { $0.rule = .notPersonal }
        },
        CheckCase("a table that refers to retained rows", "key.leads-to-retained", .warning) { plan, schema in
            let lines = SchemaSketch.table("public.lines", "id uuid pk", "invoice uuid -> public.invoices.id")
            schema.tables.append(lines)
            plan.tables.append(
                TablePlan(table: lines.name, rule: .notPersonal, columns: [.init("id"), .init("invoice")]))
        },
    ]

    private static let columns: [CheckCase] = [
        CheckCase("retained without a reason", "retain.no-reason") { plan, _ in
            plan.edit("public.invoices") { $0.rule = .retain(Retention(reason: " ", period: Period(1, .year))) }
        },
        CheckCase("retained for no time", "retain.no-period") { plan, _ in
            plan.edit("public.invoices") { $0.rule = .retain(Retention(reason: "a", period: Period(0, .year))) }
        },
        CheckCase("retained, then anonymised, in a column that may not be null", "retain.cannot-be-emptied") { plan, schema in
            schema.edit("public.invoices") { table in
                for place in table.columns.indices where table.columns[place].name == "total" {
                    table.columns[place].isNullable = false
                }
            }
            plan.edit("public.invoices") { entry in
                entry.rule = .retain(Retention(reason: "a", period: Period(1, .year), then: .anonymise))
                for place in entry.columns.indices where entry.columns[place].name == "total" {
                    entry.columns[place].rule = .retain
                }
            }
        },
        CheckCase("a period from an unknown column", "retain.unknown-start") { plan, _ in
            plan.edit("public.invoices") {
                $0.rule = .retain(Retention(reason: "a", period: Period(1, .year), start: "isued"))
            }
        },
        CheckCase("a period from a number", "retain.start-type") { plan, _ in
            plan.edit("public.invoices") {
                $0.rule = .retain(Retention(reason: "a", period: Period(1, .year), start: "total"))
            }
        },
        CheckCase("anonymising nothing", "anonymise.nothing", .warning) { plan, _ in
            plan.edit("public.invoices") { entry in
                entry.rule = .anonymise
                entry.columns = entry.columns.map { .init($0.name, .notPersonal) }
            }
        },
        CheckCase("a column of a row that stays without a rule", "column.no-rule") { plan, _ in
            plan.edit("public.posts") { $0.columns[2].rule = nil }
        },
        CheckCase("a retained column without a reason", "column.retain-without-reason") { plan, _ in
            plan.edit("public.posts") { $0.columns[2].rule = .retain }
        },
        CheckCase("null for a column that may not be null", "column.null-refused") { plan, _ in
            plan.edit("public.invoices") { $0.columns[4].rule = .null }
        },
        CheckCase("a rule for a computed column", "column.generated") { plan, _ in
            plan.edit("public.invoices") { $0.columns[6].rule = .constant("1") }
        },
        CheckCase("a rule for a primary key", "column.key") { plan, _ in
            plan.edit("public.invoices") { $0.columns[0].rule = .keyedHash }
        },
        CheckCase("a constant of the wrong type", "column.constant-unfit") { plan, _ in
            plan.edit("public.invoices") { $0.columns[5].rule = .constant("none") }
        },
        CheckCase("a constant that is too long", "column.constant-unfit") { plan, schema in
            schema.edit("public.invoices") { $0.columns[4].maximumLength = 3 }
            plan.edit("public.invoices") { $0.columns[4].rule = .constant("none") }
        },
        CheckCase("a constant in a unique column", "column.constant-not-unique") { plan, schema in
            schema.edit("public.invoices") { $0.uniqueKeys = [["zip"]] }
        },
        CheckCase("constants in all columns of a unique key", "column.constant-not-unique") { plan, schema in
            schema.edit("public.invoices") { $0.uniqueKeys = [["city", "zip"]] }
            plan.edit("public.invoices") { $0.columns[3].rule = .constant("gone") }
        },
        CheckCase("a constant in a column that is unique where it is not null", "column.constant-not-unique") { _, schema in
            schema.edit("public.invoices") { $0.indexes.append(.init(name: "u", columns: ["zip"], isUnique: true)) }
        },
        CheckCase("a constant in a column that is unique in some rows", "column.constant-not-unique", .warning) { _, schema in
            schema.edit("public.invoices") {
                $0.indexes.append(.init(name: "u", columns: ["zip"], isUnique: true, isPartial: true))
            }
        },
        CheckCase("a constant in a key that others keep apart, or not", "column.constant-not-unique", .note) { _, schema in
            schema.edit("public.invoices") { $0.uniqueKeys = [["total", "zip"]] }
        },
        CheckCase("a hash of a number", "column.hash-unfit") { plan, _ in
            plan.edit("public.invoices") { $0.columns[5].rule = .keyedHash }
        },
        CheckCase("a hash in too short a column", "column.hash-unfit") { plan, schema in
            schema.edit("public.invoices") { $0.columns[4].maximumLength = 10 }
            plan.edit("public.invoices") { $0.columns[4].rule = .keyedHash }
        },
        CheckCase("a hash of a reference", "column.hash-unfit") { plan, _ in
            plan.edit("public.invoices") { $0.columns[1].rule = .keyedHash }
        },
        CheckCase("an expression over an unknown column", "column.expression-unfit") { plan, _ in
            plan.edit("public.invoices") { $0.columns[3].rule = .expression(.call(.upper, [.column("citty")])) }
        },
        CheckCase("an expression of the wrong type", "column.expression-unfit") { plan, _ in
            plan.edit("public.invoices") { $0.columns[5].rule = .expression(.column("city")) }
        },
        CheckCase("an expression that may be too long", "column.expression-unfit") { plan, schema in
            schema.edit("public.invoices") { $0.columns[4].maximumLength = 5 }
            plan.edit("public.invoices") {
                $0.columns[4].rule = .expression(.call(.left, [.column("zip"), .integer(6)]))
            }
        },
        CheckCase("a column's rule in an erased table", "column.rule-unused", .warning) { plan, _ in
            plan.edit("public.profiles") { $0.columns[1].rule = .null }
        },
    ]

    private static let database: [CheckCase] = [
        CheckCase("row security that hides rows", "row-security.hides") { _, schema in
            schema.edit("public.profiles") { $0.rowSecurity = .init(isEnabled: true, appliesToRole: true) }
        },
        CheckCase("row security that does not apply today", "row-security.enabled", .note) { _, schema in
            schema.role = SchemaRole(name: "app", bypassesRowSecurity: false)
            schema.edit("public.profiles") { $0.rowSecurity = .init(isEnabled: true) }
        },
        CheckCase("a missing right to delete", "right.missing") { _, schema in
            schema.edit("public.profiles") { $0.missingRights = ["delete"] }
        },
        CheckCase("a missing right to update what is anonymised", "right.missing") { _, schema in
            schema.edit("public.posts") { $0.missingRights = ["update"] }
        },
        CheckCase("a missing right to scan", "right.missing", .warning) { _, schema in
            schema.edit("public.countries") { $0.missingRights = ["select"] }
        },
        CheckCase("a missing index on the delete path", "index.missing", .warning) { _, schema in
            schema.edit("public.matches") { $0.indexes.removeAll { $0.columns == ["user2_id"] } }
        },
        CheckCase("an index of only some rows", "index.missing", .warning) { _, schema in
            schema.edit("public.posts") { $0.indexes[0].isPartial = true }
        },
        CheckCase("a trigger that copies what is deleted", "trigger.copies", .warning) { _, schema in
            schema.edit("public.profiles") {
                $0.triggers = [
                    .init(
                        name: "audit", events: ["delete"],
                        definition: "BEGIN\n INSERT\n INTO audit.log SELECT OLD.*; END")
                ]
            }
        },
        CheckCase("a materialised view", "copy.materialised-view", .warning) { plan, schema in
            schema.tables.append(SchemaSketch.table("public.report", kind: .materializedView, "name text"))
            plan.tables.append(
                TablePlan(table: TableName(schema: "public", "report"), rule: .notPersonal, columns: [.init("name")]))
        },
        CheckCase("erasing from a materialised view", "copy.not-erasable") { plan, schema in
            schema.edit("public.matches") { $0.kind = .materializedView }
        },
        CheckCase("a table without a primary key", "table.no-primary-key", .note) { _, schema in
            schema.edit("public.matches") { $0.primaryKey = [] }
        },
    ]

    private static let suspicions: [CheckCase] = [
        CheckCase("a link by name and type", "link.suspected") { plan, schema in
            let table = SchemaSketch.table("public.notes", "id uuid pk", "ownerId uuid")
            schema.tables.append(table)
            plan.tables.append(
                TablePlan(table: table.name, rule: .notPersonal, columns: [.init("id"), .init("ownerId")]))
        },
        CheckCase("a link by name only", "link.suspected", .warning) { plan, schema in
            let table = SchemaSketch.table("public.notes", "id uuid pk", "user_ref text")
            schema.tables.append(table)
            plan.tables.append(
                TablePlan(table: table.name, rule: .notPersonal, columns: [.init("id"), .init("user_ref")]))
        },
        CheckCase("a key of a reached table under its name", "link.suspected") { plan, schema in
            let table = SchemaSketch.table("public.notes", "id uuid pk", "match_id uuid")
            schema.tables.append(table)
            plan.tables.append(
                TablePlan(table: table.name, rule: .notPersonal, columns: [.init("id"), .init("match_id")]))
        },
        CheckCase("a link by type", "link.suspected-type", .warning) { plan, schema in
            let table = SchemaSketch.table("public.notes", "id uuid pk", "whom uuid")
            schema.tables.append(table)
            plan.tables.append(TablePlan(table: table.name, rule: .notPersonal, columns: [.init("id"), .init("whom")]))
        },
        CheckCase("a list of subject keys", "link.suspected-type", .warning) { plan, schema in
            let table = SchemaSketch.table("public.rooms", "id uuid pk", "present uuid[]")
            schema.tables.append(table)
            plan.tables.append(
                TablePlan(table: table.name, rule: .notPersonal, columns: [.init("id"), .init("present")]))
        },
        CheckCase("a neighbour's row that names the person", "link.suspected", .warning) { plan, schema in
            schema.edit("public.matches") { $0.columns.append(.init(name: "reported_by", type: "uuid", kind: .uuid)) }
            plan.edit("public.matches") { $0.columns.append(.init("reported_by")) }
        },
    ]
}
