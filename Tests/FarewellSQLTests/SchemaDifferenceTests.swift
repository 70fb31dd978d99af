// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation
import Testing

@Suite("Fingerprints and differences of schemas")
struct SchemaDifferenceTests {
    @Test("the fingerprint of a known schema is the same in every process")
    func stable() {
        #expect(
            Self.schema().earlierFingerprint == "sha256:c6ea5b215f462406ded25a2c2e24301b3c80a908bb869eabb11c4ba0714466b8")
        #expect(Self.schema().fingerprint == "v2:sha256:3ccc419d7757149313531948ab793b51fd5acb17a450dc453406a6b4cc2b11fd")
        let empty = SQLDialect.allCases.map { Schema(dialect: $0, tables: []).fingerprint }
        #expect(Set(empty).count == 2)
    }

    @Test("estimates, the role and its rights, indexes that are not unique and the labels of enums do not affect the fingerprint")
    func leftOut() {
        let other = Self.schema {
            $0.estimatedRows = 5
            $0.columns[2].labels = ["short", "long"]
            $0.missingRights = ["select"]
            $0.rowSecurity.appliesToRole = true
            $0.indexes = [SchemaIndex(name: "another", columns: ["body"], method: "gin")]
            $0.columns[2].type = "text in another search_path"
            $0.publications = [SchemaPublication(name: "p", publishesUpdates: true, publishesDeletes: true)]
        }
        var role = other
        role.role = SchemaRole(name: "other", bypassesRowSecurity: false)
        #expect(role.fingerprint == Self.schema().fingerprint)
        #expect(Self.schema().differences(to: role).isEmpty)
    }

    @Test("the drift describes every change in words, and every change alters the fingerprint", arguments: changes)
    func told(_ change: Change) {
        let before = Self.schema()
        let after = Self.schema(change.make)
        #expect(before.differences(to: after).map(\.description) == [change.sentence])
        #expect(before.fingerprint != after.fingerprint)
        #expect(after.differences(to: after).isEmpty)
    }

    @Test("a stored index without the fact about equal nulls is read as an index where nulls differ")
    func olderIndex() throws {
        let text = #"{"name": "i", "columns": ["user_id"], "isUnique": true, "isPartial": false, "method": "btree"}"#
        let index = try JSONDecoder().decode(SchemaIndex.self, from: Data(text.utf8))
        #expect(index == SchemaIndex(name: "i", columns: ["user_id"], isUnique: true))
        let newer = SchemaIndex(name: "j", columns: ["body"], isUnique: true, areNullsEqual: true)
        #expect(try JSONDecoder().decode(SchemaIndex.self, from: JSONEncoder().encode(newer)) == newer)
    }

    @Test("the drift reports added and missing tables, and also another database")
    func tables() {
        let empty = Schema(dialect: .postgresql, tables: [])
        #expect(empty.differences(to: Self.schema()).map(\.description) == ["Table public.notes was added."])
        #expect(Self.schema().differences(to: empty).map(\.description) == ["Table public.notes was removed."])
        let other = Schema(dialect: .sqlite, tables: [])
        #expect(
            empty.differences(to: other).map(\.description)
                == ["Database changed: it was postgresql and is sqlite."])
    }

    @Test("a lookup finds a table by name among many, also in an unsorted list")
    func found() {
        let tables = ["c", "a", "b"].map { SchemaTable(name: TableName($0), columns: []) }
        var schema = Schema(dialect: .sqlite, tables: tables)
        #expect(["a", "b", "c"].allSatisfy { schema[TableName($0)]?.name.name == $0 })
        schema.tables.reverse()
        #expect(["a", "b", "c"].allSatisfy { schema[TableName($0)]?.name.name == $0 })
        #expect(schema[TableName("d")] == nil && schema[TableName(schema: "public", "a")] == nil)
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let sentence: String
        let make: @Sendable (inout SchemaTable) -> Void
        var testDescription: String { sentence }
    }

    static let changes: [Change] = [
        Change(sentence: "Column more of public.notes was added.") {
            $0.columns.append(SchemaColumn(name: "more", type: "text", kind: .text))
        },
        Change(
            sentence: "Column body of public.notes changed: its comparison of values was writing and is NOCASE."
        ) { $0.columns[$0.columns.count - 1].looseEquality = "NOCASE" },
        Change(sentence: "Column body of public.notes was removed.") { $0.columns.removeLast() },
        Change(
            sentence: """
                Column body of public.notes changed: its type was text and is integer; it may not be null now.
                """
        ) {
            $0.columns[2] = SchemaColumn(name: "body", type: "integer", kind: .integer, isNullable: false)
        },
        Change(sentence: "Column body of public.notes changed: it is computed now; its default changed.") {
            $0.columns[2].isGenerated = true
            $0.columns[2].qualifiedDefault = "upper(id)"
        },
        Change(sentence: "Table public.notes changed: its columns are in another order.") { $0.columns.swapAt(0, 1) },
        Change(sentence: "Table public.notes changed: it was table and is partitioned.") { $0.kind = .partitioned },
        Change(sentence: "Table public.notes changed: its list of parents was () and is (public.base).") {
            $0.parents = [TableName(schema: "public", "base")]
        },
        Change(sentence: "Primary key of public.notes changed: it was (id) and is ().") { $0.primaryKey = [] },
        Change(sentence: "Unique key \"(body)\" of public.notes was added.") { $0.uniqueKeys = [["body"]] },
        Change(sentence: "Foreign key notes_user of public.notes was removed.") { $0.foreignKeys = [] },
        Change(
            sentence: """
                Foreign key notes_user of public.notes changed: its action on delete was cascade and is no action; \
                it is not validated now.
                """
        ) {
            $0.foreignKeys[0].onDelete = .noAction
            $0.foreignKeys[0].isValidated = false
        },
        Change(sentence: "Unique key \"(lower(body) WHERE (id IS NULL))\" of public.notes was added.") {
            let key = "lower(body) WHERE (id IS NULL)"
            $0.indexes.append(SchemaIndex(name: "u", columns: [""], isUnique: true, isPartial: true, definition: key))
        },
        Change(sentence: "Unique key \"(body, nulls equal)\" of public.notes was added.") {
            $0.indexes.append(SchemaIndex(name: "u", columns: ["body"], isUnique: true, areNullsEqual: true))
        },
        Change(sentence: "Unique key \"(body, on conflict replace)\" of public.notes was added.") {
            $0.indexes.append(SchemaIndex(name: "u", columns: ["body"], isUnique: true, onConflict: .replace))
        },
        Change(sentence: "Column body of public.notes changed: its handling of null was abort and is ignore.") {
            $0.columns[2].onNullConflict = .ignore
        },
        Change(sentence: "Column id of public.notes changed: its identity was none and is always.") {
            $0.columns[0].identity = .always
        },
        Change(
            sentence: """
                Foreign key notes_user of public.notes changed: the list of columns that it sets to null was () and is (user_id); \
                its action on update was no action and is cascade; it matches in full now; it is deferred now.
                """
        ) {
            $0.foreignKeys[0].setColumns = ["user_id"]
            $0.foreignKeys[0].onUpdate = .cascade
            $0.foreignKeys[0].matchesFull = true
            $0.foreignKeys[0].isDeferred = true
        },
        Change(sentence: "Check c of public.notes was added.") {
            $0.checks = [SchemaCheck(name: "c", condition: "body IS NOT NULL", columns: ["body"])]
        },
        Change(sentence: "Exclusion constraint e of public.notes was added.") {
            $0.exclusions = [
                SchemaExclusion(name: "e", columns: ["body"], operators: ["="], definition: "EXCLUDE (body WITH =)")
            ]
        },
        Change(sentence: "Trigger t of public.notes changed: its action changed.") {
            $0.triggers[0].statement = "INSERT INTO copies"
        },
        Change(sentence: "Trigger t of public.notes changed: its action changed.") {
            $0.triggers[0].functions = [SchemaFunction(name: "keep", definition: "INSERT INTO copies")]
        },
        Change(
            sentence: """
                Replication of public.notes changed: the list of changes that the server refuses was () and is (delete).
                """
        ) { $0.changesRefusedForReplication = ["delete"] },
        Change(sentence: "Trigger t of public.notes was removed.") { $0.triggers = [] },
        Change(sentence: "Row security of public.notes changed: it is on now; it applies to the owner now.") {
            $0.rowSecurity = RowSecurity(isEnabled: true, isForced: true)
        },
    ]

    static func schema(_ change: (inout SchemaTable) -> Void = { _ in }) -> Schema {
        var table = SchemaTable(
            name: TableName(schema: "public", "notes"),
            columns: [
                SchemaColumn(name: "id", type: "uuid", kind: .uuid, isNullable: false),
                SchemaColumn(name: "user_id", type: "uuid", kind: .uuid),
                SchemaColumn(name: "body", type: "text", kind: .text),
            ],
            primaryKey: ["id"],
            foreignKeys: [
                ForeignKey(
                    name: "notes_user", columns: ["user_id"], target: TableName(schema: "public", "users"),
                    targetColumns: ["id"], onDelete: .cascade)
            ],
            indexes: [SchemaIndex(name: "i", columns: ["user_id"])],
            triggers: [SchemaTrigger(name: "t", events: ["delete"], definition: "RETURN OLD")])
        change(&table)
        return Schema(dialect: .postgresql, tables: [table])
    }
}
