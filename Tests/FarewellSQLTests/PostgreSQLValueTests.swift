// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation
import Testing

@Suite("PostgreSQL's types")
struct PostgreSQLValueTests {
    private static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    /// 2026-05-06 07:08:09.123456 UTC
    private static let instant = Date(timeIntervalSince1970: 1_778_051_289.123456)

    /// Literals of each type, and the value they arrive as.
    private static let literals: [(text: String, value: SQLValue)] = [
        ("true", .bool(true)), ("false", .bool(false)), ("(-32768)::int2", .integer(-32_768)),
        ("2147483647::int4", .integer(2_147_483_647)), ("(-9223372036854775808)::int8", .integer(.min)),
        ("4000000000::oid", .integer(4_000_000_000)), ("1.5::float4", .double(1.5)), ("0.1::float8", .double(0.1)),
        ("'-Infinity'::float8", .double(-.infinity)),
        (
            "123456789012345678901234567890.10::numeric",
            .numeric("123456789012345678901234567890.10")
        ), ("'NaN'::numeric", .numeric("NaN")),
        ("'ä''b\\\\'::text", .text("ä'b\\\\")), ("'x'::varchar(3)", .text("x")), ("'x'::char(3)", .text("x")),
        ("'x'::name", .text("x")), ("'01020304-0506-0708-090a-0b0c0d0e0f10'::uuid", .uuid(uuid)),
        ("'2026-05-06 09:08:09.123456+02'::timestamptz", .timestamp(instant)),
        ("'1999-12-31 23:59:59-11:30'::timestamptz", .timestamp(Date(timeIntervalSince1970: 946_726_199))),
        ("'0001-01-01 00:00:00+00'::timestamptz", .timestamp(Date(timeIntervalSince1970: -62_135_596_800))),
        ("'infinity'::timestamptz", .text("infinity")),
        ("'2026-05-06 07:08:09'::timestamp", .text("2026-05-06 07:08:09")),
        ("'2026-05-06'::date", .text("2026-05-06")), ("'{\"a\": [1, null]}'::jsonb", .json("{\"a\": [1, null]}")),
        ("'{\"b\":1}'::json", .json("{\"b\":1}")), ("'\\x00ff0a'::bytea", .bytes([0, 255, 10])),
        ("''::bytea", .bytes([])),
        ("NULL::text", .null), ("NULL::uuid", .null), ("'1 day 2 hours'::interval", .text("1 day 02:00:00")),
        ("'10.0.0.1/8'::inet", .text("10.0.0.1/8")),
        (
            "ARRAY['a', NULL, 'NULL', '', 'b,c', 'd\"e', '{f}', 'g\\h', ' ä']",
            .array([
                .text("a"), .null, .text("NULL"), .text(""), .text("b,c"), .text("d\"e"), .text("{f}"), .text("g\\h"),
                .text(" ä"),
            ])
        ),
        ("ARRAY[1, NULL, 3]", .array([.integer(1), .null, .integer(3)])), ("'{}'::uuid[]", .array([])),
        ("ARRAY[true]", .array([.bool(true)])), ("ARRAY['\\x01'::bytea]", .array([.bytes([1])])),
        ("ARRAY['{\"a\":1}'::jsonb]", .array([.json("{\"a\": 1}")])),
        ("ARRAY['2026-05-06 07:08:09.123456+00'::timestamptz]", .array([.timestamp(instant)])),
        ("ARRAY[ARRAY[1, 2], ARRAY[3, 4]]", .text("{{1,2},{3,4}}")),
        ("'mild'::mood", .text("mild")), ("'a@b'::mail", .text("a@b")), ("7::age", .integer(7)),
    ]

    @Test("each type arrives as its value, and returns as the same")
    func arrives() async throws {
        try await withTypes { connection in
            for (text, value) in Self.literals {
                try await connection.expect("SELECT \(text)", gives: [[value]])
                // json has no equality, nor have arrays of integers of different sizes.
                let hasNoEquality = text.hasSuffix("::json") || text == "ARRAY[1, NULL, 3]"
                let isSame = hasNoEquality ? "$1 IS NOT NULL" : "\(text) IS NOT DISTINCT FROM $1"
                try await connection.expect("SELECT \(isSame)", [value], gives: [[.bool(true)]])
            }
        }
    }

    @Test("parameters need no casts in the usual places")
    func parametersNeedNoCasts() async throws {
        try await withTypes { connection in
            try await connection.run(
                """
                CREATE TABLE t (
                    id uuid, n int4, small int2, price numeric(10, 2), ratio float4, name varchar(20), mood mood,
                    mail mail, born date, seen timestamptz, local timestamp, doc jsonb, old json, raw bytea,
                    tags text[], ids uuid[], moods mood[], ok boolean)
                """)
            let row: [SQLValue] = [
                .uuid(Self.uuid), .integer(1), .integer(2), .numeric("3.50"), .double(0.5), .text("N"), .text("mild"),
                .text("a@b"), .text("2000-02-29"), .timestamp(Self.instant), .text("2000-01-01 00:00:00"),
                .json("{\"a\": 1}"),
                .json("[]"), .bytes([1, 2]), .array([.text("x,y"), .null]), .array([.uuid(Self.uuid)]),
                .array([.text("mild")]), .bool(true),
            ]
            let marks = row.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
            try await connection.run(SQLStatement("INSERT INTO t VALUES (\(marks))", row))
            var expected = row
            expected[16] = .text("{mild}")
            try await connection.expect("SELECT * FROM t", gives: [expected])
            let columns = try await connection.run("SELECT * FROM t").columns
            for (column, value) in zip(columns, row) where column != "old" {
                try await connection.expect("SELECT 1 FROM t WHERE \(column) = $1", [value], gives: [[.integer(1)]])
            }
            // A value sent as text finds keys of any type.
            try await connection.expect(
                "SELECT 1 FROM t WHERE id = $1 AND n = $2", [.text(Self.uuid.uuidString), .text("1")],
                gives: [[.integer(1)]])
            try await connection.expect(
                "SELECT 1 FROM t WHERE id = ANY($1) AND name = ANY($2) AND n = ANY($3)",
                [.array([.uuid(Self.uuid)]), .array([.text("N")]), .array([.integer(1), .null])],
                gives: [[.integer(1)]])
            try await connection.expect(
                "SELECT 1 FROM t WHERE doc ->> 'a' = $1 LIMIT $2", [.text("1"), .integer(5)], gives: [[.integer(1)]])
            for column in columns {
                let changed = try await connection.run("UPDATE t SET \(column) = $1", .null)
                #expect(changed.affected == 1)
            }
        }
    }

    @Test("lists travel in their fastest form, and arrive unchanged")
    func lists() async throws {
        let texts = ["", "NULL", "a,b", "{c}", "d\"e", "f\\g", "  ", "ä€😀", String(repeating: "x", count: 100_000)]
        let lists: [(type: String, elements: [SQLValue])] = [
            ("text", texts.map(SQLValue.text)), ("text", [.null, .text("a"), .null]), ("text", [.null]), ("text", []),
            ("uuid", [.uuid(Self.uuid), .null]), ("uuid", []), ("bigint", [.integer(.min), .null, .integer(.max)]),
            ("bytea", [.bytes([]), .bytes(Array(0...255)), .null]), ("bytea", [.null]),
            ("bigint", (0..<50_000).map { .integer($0) }), ("double precision", [.double(-0.5), .null]),
            ("boolean", [.bool(true), .null]), ("numeric", [.numeric("1.50")]),
        ]
        try await withTypes { connection in
            for (type, elements) in lists {
                try await connection.expect("SELECT $1::\(type)[]", [.array(elements)], gives: [[.array(elements)]])
                // The server has them as the same values whichever form they came in.
                try await connection.expect(
                    "SELECT $1::\(type)[] IS NOT DISTINCT FROM ($1::\(type)[])::text::\(type)[], cardinality($1)",
                    [.array(elements)], gives: [[.bool(true), .integer(Int64(elements.count))]])
            }
            // Of several kinds, and texts that are meant for another type.
            try await connection.expect(
                "SELECT $1::bigint[], $2::uuid[], $3::mood[]::text[]",
                [
                    .array([.integer(1), .text("2")]), .array([.text(Self.uuid.uuidString)]),
                    .array([.text("mild"), .null]),
                ],
                gives: [
                    [
                        .array([.integer(1), .integer(2)]), .array([.uuid(Self.uuid)]), .array([.text("mild"), .null]),
                    ]
                ])
            let nested = await #expect(throws: FarewellError.self) {
                try await connection.run("SELECT $1::text[]", .array([.text("a"), .array([])]))
            }
            #expect(nested?.code == "sql.0A000")
            let nul = await #expect(throws: FarewellError.self) {
                try await connection.run("SELECT $1::text[]", .array([.text("a\0")]))
            }
            #expect(nul?.code == "sql.22021")
        }
    }

    @Test("a NUL character is clearly refused in values, texts and arrays")
    func nul() async throws {
        try await withTypes { connection in
            for value in [SQLValue.text("a\0b"), .array([.text("\0")]), .json("\"\0\""), .numeric("1\0")] {
                let error = await #expect(throws: FarewellError.self) { try await connection.run("SELECT $1", value) }
                #expect(error?.code == "sql.22021")
            }
            let inText = await #expect(throws: FarewellError.self) { try await connection.run("SELECT 1 \0") }
            #expect(inText?.code == "sql.42601")
        }
    }

    @Test("a statement with too many parameters is refused before it is sent")
    func tooMany() async throws {
        try await withTypes { connection in
            let many = SQLStatement("SELECT 1", Array(repeating: .integer(1), count: 65_536))
            let error = await #expect(throws: FarewellError.self) { try await connection.run(many) }
            #expect(error?.code == "sql.54000")
        }
    }

    @Test("no error shows the text of DETAIL, CONTEXT or a trigger")
    func errorsAreSilent() async throws {
        try await withTypes { connection in
            try await connection.run(
                """
                CREATE FUNCTION tell() RETURNS void LANGUAGE plpgsql AS
                'BEGIN RAISE EXCEPTION ''no way, canary'' USING ERRCODE = ''42501'', DETAIL = ''canary''; END'
                """)
            try await connection.run("CREATE TABLE t (a text UNIQUE, b int, c varchar(3))")
            try await connection.run("INSERT INTO t VALUES ('canary')")
            let tellers: [(String, [SQLValue])] = [
                ("INSERT INTO t VALUES ('canary')", []), ("SELECT tell()", []), ("SELECT 'canary'::int", []),
                ("SELECT 'canary'::mood", []), ("INSERT INTO t (c) VALUES ('canary')", []),
                ("SELECT '{\"canary'::jsonb", []), ("SELECT to_date('canary', 'YYYY')", []),
                ("SELECT $1::uuid", [.text("canary")]), ("SELECT $1::timestamptz", [.text("canary")]),
                ("SELECT $1::int[]", [.text("{canary")]), ("SELECT 'canary' ~ '(canary'", []),
                ("SELECT canary canary canary", []), ("SELECT convert_from('\\xff63616e617279', 'UTF8')", []),
            ]
            for (text, parameters) in tellers {
                let error = await #expect(throws: FarewellError.self) {
                    try await connection.run(SQLStatement(text, parameters))
                }
                #expect(error.map { !"\($0)".contains("canary") } ?? false, "\(text): \(error?.description ?? "")")
            }
        }
    }

    private func withTypes(_ use: @Sendable (any SQLConnection) async throws -> Void) async throws {
        try await TestDatabase.withPostgreSQL { database in
            try await database.withConnection { connection in
                _ = try await connection.pipeline([
                    SQLStatement("CREATE TYPE mood AS ENUM ('mild', 'wild')"),
                    SQLStatement("CREATE DOMAIN mail AS text CHECK (value LIKE '%@%')"),
                    SQLStatement("CREATE DOMAIN age AS int4 CHECK (value > 0)"),
                ])
                try await use(connection)
            }
        }
    }
}
