// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellPlan
import FarewellSQL
import FarewellSample
import FarewellServer
import FarewellSessions
import Foundation
import Logging

/// The user to sign in as: one of the app's, with a password made for this demo.
struct DemoPerson: Sendable {
    let email: String
    let password: String

    /// Gives one of the app's users a password: the first one whose account exists and is not being erased.
    ///
    /// - Throws: `demo.person` if there is none.
    static func prepared(_ server: ServerAssembly, people: SamplePeople) async throws -> DemoPerson {
        var change = AdministratorChange()
        change.password = "demo-" + ServerWorld.live().makeIdentifier().text.prefix(13)
        change.confirmsEmail = true
        for index in Array(people.exampleIndex..<people.people) + Array(0..<people.exampleIndex) {
            let key = people.subjectKey(at: index)
            guard let id = UUID(text: key), try await !server.isErasing(key) else { continue }
            do {
                let user = try await server.authority.updateUser(id, change)
                return DemoPerson(email: user.email ?? "", password: change.password ?? "")
            } catch let error as FarewellError where error.code == "auth.user_not_found" {
                continue
            }
        }
        throw FarewellError(
            "demo.person", .yoursToFix, "The demo has no users left.",
            remedy: "Remove the folder \(server.settings.state) and start the demo again.")
    }

    /// Prints where to look, how to sign in, and calls to try.
    ///
    /// - Parameter state: The folder of the key that opens the console.
    func greet(at address: String, state: String) {
        let terminal = Terminal.output
        terminal.text(
            """
            \(terminal.bold("Farewell serves the example app at \(address)"))

              e-mail    \(email)
              password  \(password)

            Open in a browser:

              \(address)/account    for users: sign in with this address and password
              \(address)/console    for operators: sign in with the token in \(state)/service.key

            Try, in another window:

              TOKEN=$(curl -s '\(address)/auth/v1/token?grant_type=password' \\
                -d '{"email":"\(email)","password":"\(password)"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
              curl -s \(address)/v1/sessions -H "Authorization: Bearer $TOKEN"
              curl -si -X POST '\(address)/auth/v1/logout?scope=global' -H "Authorization: Bearer $TOKEN"
              curl -s \(address)/auth/v1/user -H "Authorization: Bearer $TOKEN"      # refused, at once

            Then sign in again and delete the account; the ticket shows the outcome, also afterwards:

              curl -s \(address)/v1/erasures/preview -H "Authorization: Bearer $TOKEN"
              TICKET=$(head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\\n')
              ID=$(curl -s -X POST \(address)/v1/erasures -H "Authorization: Bearer $TOKEN" \\
                -H "Idempotency-Key: $TICKET" -d "{\\"ticket\\":\\"$TICKET\\"}" | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
              curl -sN \(address)/v1/erasures/$ID/events -H "X-Farewell-Ticket: $TICKET"
              curl -s \(address)/v1/erasures/$ID/receipt -H "X-Farewell-Ticket: $TICKET"
              curl -s \(address)/auth/v1/user -H "Authorization: Bearer $TOKEN"      # refused: no such user

            Any Supabase client works with \(address)/auth/v1. Stop with Ctrl-C.
            """)
    }
}
