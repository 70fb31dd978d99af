// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Random schemas with names as apps give them: keys with and without a declaration, addresses, user names, lists and pairs, of all types,
/// some of them unique, computed, or without regard of letter case.
package struct RandomNames {
    /// The table and column where a person begins.
    package let subject: ColumnName
    package let schema: Schema

    private static let things = [
        "post", "team", "company", "customer", "subscriber", "invitation", "profile", "employee", "photo", "comment", "dmail", "follower",
        "subject", "account", "member", "login",
    ]
    private static let people = [
        "user_id", "owner_id", "author_id", "created_by", "updated_by_id", "approver_id", "from_id", "to_id", "follower_id", "sender_id",
        "receiver_id", "host_user_id", "stargazer_id", "assigned_to", "user_uuid", "follower", "editorid",
    ]
    private static let texts = [
        "email", "guest_email", "invitee_email", "billing_email", "user_email", "phone", "contact_phone", "author_username", "username",
        "created_by_username", "name", "address", "ip", "body", "avatar",
    ]
    private static let lists = ["watcher_ids", "user_ids", "member_ids", "participants"]

    package init(seed: UInt64, _ dialect: SQLDialect) {
        var maker = Maker(random: CorpusRandom(seed: seed), dialect: dialect)
        let users = maker.name("users")
        subject = ColumnName(users, "id")
        schema = Schema(dialect: dialect, tables: maker.tables(users))
    }

    private struct Maker {
        var random: CorpusRandom
        let dialect: SQLDialect
        var keyKind = SchemaColumn.Kind.integer

        func name(_ name: String) -> TableName { TableName(schema: dialect == .sqlite ? nil : "public", name) }

        mutating func tables(_ users: TableName) -> [SchemaTable] {
            keyKind = random.pick([.integer, .integer, .uuid, .text]) ?? .integer
            let things = Array(RandomNames.things.shuffled(using: &random).prefix(2 + random.below(4)))
            let names = things.map { name(EnglishPlural.of($0)) }
            return [table(users, things, [users] + names)] + names.map { table($0, things, [users] + names) }
        }

        private mutating func table(_ name: TableName, _ things: [String], _ all: [TableName]) -> SchemaTable {
            var table = SchemaTable(name: name, columns: [])
            let isSubject = name == all[0]
            if isSubject || !random.isOne(in: 8) {
                table.columns.append(SchemaColumn(name: "id", type: type(keyKind), kind: keyKind, isNullable: false))
                table.primaryKey = ["id"]
            }
            for column in RandomNames.people.shuffled(using: &random).prefix(random.below(isSubject ? 3 : 4)) {
                add(column, to: &table, target: all[0])
            }
            for thing in things where random.isOne(in: 3) {
                let target = all[1 + (things.firstIndex(of: thing) ?? 0)]
                add((random.isOne(in: 3) ? "default_" : "") + thing + "_id", to: &table, target: target)
            }
            for column in RandomNames.texts.shuffled(using: &random).prefix(random.below(4)) { add(text: column, to: &table) }
            if isSubject, table["email"] == nil { add(text: "email", to: &table) }
            if random.isOne(in: 4), let list = random.pick(RandomNames.lists) { add(list: list, to: &table) }
            if random.isOne(in: 5) { addPair(to: &table) }
            if table.primaryKey.isEmpty, random.isOne(in: 2) {
                table.primaryKey = table.columns.filter { !$0.isNullable && !$0.isGenerated }.prefix(2).map(\.name)
            }
            return table
        }

        private func type(_ kind: SchemaColumn.Kind) -> String {
            switch kind {
            case .integer: "integer"
            case .uuid: dialect == .sqlite ? "text" : "uuid"
            case .json: dialect == .sqlite ? "json" : "jsonb"
            case .array: "integer[]"
            default: "text"
            }
        }

        private mutating func add(_ column: String, to table: inout SchemaTable, target: TableName) {
            let kind = random.isOne(in: 6) ? random.pick([.text, .integer]) ?? .text : keyKind
            var made = SchemaColumn(name: column, type: type(kind), kind: kind, isNullable: !random.isOne(in: 2))
            made.isGenerated = random.isOne(in: 14)
            table.columns.append(made)
            if random.isOne(in: 6) { table.uniqueKeys.append([column]) }
            // A key needs a target with a primary key: only the subject's certainly has one.
            guard kind == keyKind, random.isOne(in: 3), !made.isGenerated, target.name == "users" else { return }
            let actions = DeleteAction.allCases.filter { made.isNullable || $0 != .setNull && $0 != .setDefault }
            table.foreignKeys.append(
                ForeignKey(
                    name: "\(table.name.name)_\(column)", columns: [column], target: target, targetColumns: ["id"],
                    onDelete: random.pick(actions) ?? .noAction))
        }

        private mutating func add(text column: String, to table: inout SchemaTable) {
            guard table[column] == nil else { return }
            var made = SchemaColumn(name: column, type: "text", kind: .text, isNullable: !random.isOne(in: 2))
            made.isGenerated = random.isOne(in: 16)
            if random.isOne(in: 8) { made.looseEquality = dialect == .sqlite ? "NOCASE" : "citext" }
            table.columns.append(made)
            if random.isOne(in: 3) { table.uniqueKeys.append([column]) }
        }

        private mutating func add(list column: String, to table: inout SchemaTable) {
            let kinds: [SchemaColumn.Kind] = dialect == .sqlite ? [.json, .text] : [.json, .text, .array]
            let kind = random.pick(kinds) ?? .text
            var made = SchemaColumn(name: column, type: type(kind), kind: kind, isNullable: !random.isOne(in: 2))
            if kind == .array { made.elementType = "int4" }
            if kind == .text { made.defaultExpression = random.pick([nil, "'[]'", "'{}'", "''"]) ?? nil }
            table.columns.append(made)
        }

        private mutating func addPair(to table: inout SchemaTable) {
            let name = random.pick(["target", "owner", "commentable"]) ?? "target"
            let isNumber = random.isOne(in: 4)
            var kind = SchemaColumn(name: name + "_type", type: isNumber ? "integer" : "text", kind: isNumber ? .integer : .text)
            if !isNumber, random.isOne(in: 3) { kind.labels = ["User", "Post"] }
            guard table[name + "_id"] == nil else { return }
            table.columns.append(kind)
            table.columns.append(
                SchemaColumn(name: name + "_id", type: type(keyKind), kind: keyKind, isNullable: !random.isOne(in: 2)))
        }
    }

    private enum EnglishPlural {
        static func of(_ noun: String) -> String { noun.hasSuffix("y") ? String(noun.dropLast()) + "ies" : noun + "s" }
    }
}
