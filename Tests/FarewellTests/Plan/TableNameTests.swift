// SPDX-License-Identifier: Apache-2.0
import Farewell
import Testing

struct TableNameTests {
    @Test(
        "a name of any characters is written so that it reads back the same",
        arguments: [
            "users", "we.ird", "with space", "qu\"ote", "\"", "\"\u{301}", "\u{301}a", "名前", "a\nb", "", ".",
            "x\"; DROP",
            String(repeating: "长", count: 200), "-", "a-b", "$1", "\u{202E}evil",
        ])
    func roundTrip(_ name: String) {
        for table in [TableName(name), TableName(schema: name, "t"), TableName(schema: "s", name)] {
            let read = TableName(parsing: table.description)
            #expect(read.map { Array($0.description.utf8) } == Array(table.description.utf8))
            #expect(read?.name.utf8.elementsEqual(table.name.utf8) == true)
        }
        let column = ColumnName(TableName(schema: name, name), name)
        #expect(ColumnName(parsing: column.description) == column)
    }

    @Test(
        "a malformed name is refused",
        arguments: ["", ".", "a.", ".a", "a..b", "a.b.c", "\"open", "\"a\"b", "a.\"b\"c"])
    func refuses(_ text: String) {
        #expect(TableName(parsing: text) == nil)
    }

    @Test("a column's name needs its table", arguments: ["id", "a.b.c.d", ""])
    func refusesColumn(_ text: String) {
        #expect(ColumnName(parsing: text) == nil)
    }

    @Test(
        "a period reads back as written, and nonsense is refused",
        arguments: [("10 years", "10 years"), ("1 month", "1 month"), ("0 days", "0 days"), ("30 Days", "30 days")])
    func periods(_ text: String, _ written: String) {
        #expect(Period(parsing: text)?.description == written)
        for nonsense in ["-1 days", "ten years", "1", "1 week", "999999999999999999999 days", "1  1 day", ""] {
            #expect(Period(parsing: nonsense) == nil)
        }
    }
}
