// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import Testing

@Suite("delete_auth_user() for apps that call the database themselves")
struct ErasureFunctionTests {
    @Test("SV-3 the function deletes the caller's own row and nobody else's, whatever tables the caller has made")
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
                for statement in [
                    "CREATE ROLE \(role)", "GRANT EXECUTE ON FUNCTION public.delete_auth_user() TO \(role)",
                    "GRANT CREATE, USAGE ON SCHEMA public TO \(role)", "SET ROLE \(role)",
                    // What a caller could hope to be taken for the real ones.
                    "CREATE TABLE public.users_of_mine (id uuid)",
                    "SET search_path = public",
                ] { _ = try await connection.run(SQLStatement(statement)) }
                let call = SQLStatement("SELECT public.delete_auth_user()")
                for claims in ["", "{}", #"{"sub":""}"#, "nonsense", #"{"sub":"nobody"}"#] {
                    _ = try await connection.run("SELECT set_config('request.jwt.claims', $1, false)", .text(claims))
                    await #expect(throws: FarewellError.self, "\(claims)") { _ = try await connection.run(call) }
                }
                await #expect(throws: FarewellError.self, "the row itself is out of reach") {
                    _ = try await connection.run("DELETE FROM auth.users")
                }
                let mine = #"{"sub":"\#(place.key(2))","role":"authenticated"}"#
                _ = try await connection.run("SELECT set_config('request.jwt.claims', $1, false)", .text(mine))
                _ = try await connection.run(call)
                _ = try await connection.run(call)
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
