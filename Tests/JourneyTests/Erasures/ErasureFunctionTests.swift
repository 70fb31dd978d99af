// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import Testing

@Suite("delete_auth_user() for apps that call the database themselves")
struct ErasureFunctionTests {
    @Test("SV-3 the function deletes only the caller's own row, whatever tables and functions the caller has made")
    func function() async throws {
        try await ErasurePlace.with(.postgresql, people: 4) { place in
            let file = Python.root + "/deploy/delete_auth_user.sql"
            let script = try String(contentsOfFile: file, encoding: .utf8)
            let database = try openDatabase(place.place.address)
            let role = "caller_\(UInt32.random(in: .min ... .max))"
            let parts = script.components(separatedBy: "\n\n").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            try await database.withConnection { connection in
                for part in parts.filter({ !$0.hasPrefix("--") && !$0.isEmpty }) where !part.hasPrefix("DO ") {
                    for statement in part.hasPrefix("CREATE") ? [part] : part.components(separatedBy: ";\n") {
                        _ = try await connection.run(SQLStatement(statement))
                    }
                }
                let call = SQLStatement("SELECT public.delete_auth_user()")
                let mine = #"{"sub":"\#(place.key(2))","role":"authenticated"}"#
                _ = try await connection.run("SELECT set_config('request.jwt.claims', $1, false)", .text(mine))
                for statement in ["CREATE ROLE \(role)", "GRANT USAGE ON SCHEMA public TO \(role)", "SET ROLE \(role)"] {
                    _ = try await connection.run(SQLStatement(statement))
                }
                let ungranted = await #expect(throws: FarewellError.self) { _ = try await connection.run(call) }
                #expect(ungranted?.code == "sql.42501", "whom it was not granted to may not call it")
                for statement in [
                    "RESET ROLE", "GRANT EXECUTE ON FUNCTION public.delete_auth_user() TO \(role)",
                    "GRANT CREATE, USAGE ON SCHEMA public TO \(role)", "SET ROLE \(role)",
                    // Objects that a caller could try to substitute. A temporary table is found first if no path is named, the app has a
                    // public.users, and the claims would be another user's.
                    "CREATE TEMPORARY TABLE users (id uuid)", "INSERT INTO users VALUES ('\(place.key(2))')",
                    """
                    CREATE FUNCTION public.current_setting(text, boolean) RETURNS text LANGUAGE sql
                    AS $$ SELECT '{"sub":"\(place.key(1))"}' $$
                    """,
                    "SET search_path = public, pg_catalog",
                ] { _ = try await connection.run(SQLStatement(statement)) }
                let taken = try await connection.run("SELECT current_setting('request.jwt.claims', true)").scalar?.text
                #expect(taken?.contains(place.key(1)) == true, "on the caller's own path it is the caller's function")
                for claims in ["", "{}", #"{"sub":""}"#, "nonsense", #"{"sub":"nobody"}"#] {
                    _ = try await connection.run("SELECT set_config('request.jwt.claims', $1, false)", .text(claims))
                    await #expect(throws: FarewellError.self, "\(claims)") { _ = try await connection.run(call) }
                }
                await #expect(throws: FarewellError.self, "the row itself is out of reach") {
                    _ = try await connection.run("DELETE FROM auth.users")
                }
                _ = try await connection.run("SELECT set_config('request.jwt.claims', $1, false)", .text(mine))
                _ = try await connection.run(call)
                _ = try await connection.run(call)
                #expect(try await connection.run("SELECT count(*) FROM users").scalar?.integer == 1)
                _ = try await connection.run("RESET ROLE")
                _ = try await connection.run(SQLStatement("DROP OWNED BY \(role)"))
                _ = try await connection.run(SQLStatement("DROP ROLE \(role)"))
            }
            await database.close()
            let left = try await place.query("SELECT id::text FROM auth.users ORDER BY id").compactMap { $0.first?.text }
            #expect(left.count == 3 && !left.contains(place.key(2)))
        }
    }
}
