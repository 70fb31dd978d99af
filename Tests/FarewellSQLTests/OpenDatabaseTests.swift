// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Testing

@Suite("The address of a database")
struct OpenDatabaseTests {
    @Test("sqlite:path, sqlite:///path and a plain path open the same file")
    func sqlite() async throws {
        try await TestDatabase.withSQLite { database in
            try await database.withConnection { _ = try await $0.run("CREATE TABLE t (a)") }
            for address in ["sqlite:\(database.path)", "sqlite://\(database.path)", database.path] {
                let opened = try openDatabase(address)
                #expect(opened.dialect == .sqlite)
                try await opened.withConnection { try await $0.expect("SELECT * FROM t", gives: []) }
                await opened.close()
            }
        }
    }

    @Test("postgresql:// and postgres:// open PostgreSQL")
    func postgresql() async throws {
        let address = try TestDatabase.serverAddress()
        for address in [address, "postgres" + address.dropFirst("postgresql".count)] {
            let opened = try openDatabase(address)
            #expect(opened.dialect == .postgresql)
            try await opened.withConnection { connection in
                try await connection.expect("SELECT 1", gives: [[.integer(1)]])
                try await connection.expect("SHOW application_name", gives: [[.text("farewell")]])
            }
            await opened.close()
        }
    }

    @Test("an empty address, as of an unset variable, is called empty, with the setting that holds it", arguments: ["", " ", "\n"])
    func empty(_ address: String) throws {
        var configuration = PostgreSQLConfiguration()
        configuration.namedBy = "database.url"
        let error = #expect(throws: FarewellError.self) { try openDatabase(address, postgresql: configuration) }
        #expect(error?.code == "sql.bad-address" && error?.message == "The database address of database.url is empty.")
    }

    @Test(
        "any other address is refused, and the error does not show it",
        arguments: [
            "mysql://root:s3cret@host/db", "http://s3cret@host", "sqlite://host/path", "postgresql://u:s3cret%zz@h/db",
            "postgresql://u:s3cret@h/db?nonsense=1", "postgresql://u:s3cret@[::1/db", "", ":memory:", "sqlite:",
            "sqlite:a\0b", "host=127.0.0.1 dbname=app user=postgres password=s3cret", "postgresql:/u:s3cret@h/x",
            "//u:s3cret@h/x", "u:s3cret@h/x", "password=s3cret", "postgres:u", "u@h",
        ])
    func refused(_ address: String) throws {
        let error = #expect(throws: FarewellError.self) { try openDatabase(address) }
        #expect(error?.code == "sql.bad-address")
        #expect(error?.family == .yoursToFix)
        #expect(error.map { !"\($0)".contains("s3cret") } ?? false)
    }

    @Test(
        "SY-4 an address in which the end of the password is not certain is refused before use, and nothing of it is shown",
        arguments: [
            "postgresql://u:s3cret@PW@h:1/d", "postgresql://u:s3cret/PW@h:1/d", "postgresql://u:s3cret#PW@h/d",
            "postgres://u:s3cret?PW@h/d", "postgresql://s3cret@u:PW@h/d", "postgresql://u:PW@h/d?password=s3cret@x",
        ])
    func ambiguous(_ address: String) throws {
        let error = #expect(throws: FarewellError.self) { try openDatabase(address) }
        #expect(error?.code == "sql.bad-address" && error?.family == .yoursToFix)
        #expect(error?.remedy?.contains("@ as %40, / as %2F") == true)
        #expect(error.map { !"\($0)".contains("s3cret") && !"\($0)".contains("PW") } ?? false)
    }

    @Test("SY-4 a password with percent-encoded characters, and a colon in it, is no mistake")
    func encoded() throws {
        for address in ["postgresql://u:a%40b%2Fc%23%3F@127.0.0.1:1/d", "postgresql://u:a:b@h/d", "postgresql:///d?host=/tmp"] {
            #expect(try openDatabase(address).dialect == .postgresql)
        }
    }

    @Test("a missing SQLite file is an error unless it may be made")
    func missing() async throws {
        let error = #expect(throws: FarewellError.self) { try openDatabase("sqlite:/nowhere/app.sqlite") }
        #expect(error?.code == "sql.missing-file")
    }
}
