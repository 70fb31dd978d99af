// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("Users who move over with their password hash")
struct ServerImportTests {
    /// Of crypt_blowfish's own tests: the password is U*U.
    static let bcrypt = "05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
    static let people = "/auth/v1/admin/users"

    @Test(
        "a user created with a bcrypt hash keeps identifier and password, and gets a new hash at the first sign-in",
        arguments: SQLDialect.allCases)
    func imported(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { server in
                for kind in ["$2a$", "$2b$", "$2y$"] {
                    let id = UUID()
                    let email = "p-\(id.uuidString.lowercased())@example.org"
                    let body = """
                        {"id":"\(id)","email":"\(email)","password_hash":"\(kind)\(Self.bcrypt)","email_confirm":true}
                        """
                    let made = try await server.ask(.POST, Self.people, token: server.serviceKey(), json: body)
                    #expect(made.status == 200 && made.json["id"] as? String == id.uuidString.lowercased(), "\(made)")
                    #expect(!made.text.contains(Self.bcrypt), "\(made)")
                    #expect(try await hash(of: id, place).hasPrefix(kind))
                    #expect(try await signIn(email, "U*V", server).code == "invalid_credentials")
                    #expect(try await hash(of: id, place).hasPrefix(kind))
                    for _ in 0..<2 {
                        let answer = try await signIn(email, "U*U", server)
                        #expect(answer.status == 200, "\(answer)")
                        #expect(try await hash(of: id, place).hasPrefix("$scrypt$"))
                    }
                }
            }
        }
    }

    @Test(
        "giving an existing user a hash ends their sessions; a hash that cannot be checked is refused and not shown",
        arguments: SQLDialect.allCases)
    func changed(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { server in
                let mine = try await server.person()
                let shown = try await server.ask(.GET, "/auth/v1/user", token: mine.access)
                let id = try #require(shown.json["id"] as? String, "\(shown)")
                let one = "\(Self.people)/\(id)"
                let wrong = [
                    "geheim", "$2a$05$geheim", "$2a$31" + Self.bcrypt.dropFirst(2),
                    "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$geheim", "$fbscrypt$v=1,n=14,r=8,p=1$geheim",
                ]
                for hash in wrong {
                    for (method, path) in [(HTTPMethod.POST, Self.people), (.PUT, one)] {
                        let body = #"{"email":"other@example.org","password_hash":"\#(hash)"}"#
                        let answer = try await server.ask(method, path, token: server.serviceKey(), json: body)
                        #expect(answer.status == 400 && answer.code == "validation_failed", "\(answer)")
                        #expect(answer.text.contains("password hash") && !answer.text.contains(hash), "\(answer)")
                    }
                }
                let both = #"{"email":"other@example.org","password":"\#(SignedIn.password)","password_hash":"$2a$\#(Self.bcrypt)"}"#
                for (method, path) in [(HTTPMethod.POST, Self.people), (.PUT, one)] {
                    let answer = try await server.ask(method, path, token: server.serviceKey(), json: both)
                    #expect(answer.status == 400 && answer.code == "validation_failed", "\(answer)")
                }
                #expect(try await server.isAccepted(mine.access))
                _ = try await server.signIn(mine.email)

                let given = try await server.ask(
                    .PUT, one, token: server.serviceKey(), json: #"{"password_hash":"$2b$\#(Self.bcrypt)"}"#)
                #expect(given.status == 200 && given.json["email"] as? String == mine.email, "\(given)")
                #expect(try await !server.isAccepted(mine.access))
                #expect(try await signIn(mine.email, SignedIn.password, server).code == "invalid_credentials")
                #expect(try await signIn(mine.email, "U*U", server).status == 200)
            }
        }
    }

    private func signIn(_ email: String, _ password: String, _ server: RunningServer) async throws -> ServerAnswer {
        try await server.ask(
            .POST, "/auth/v1/token?grant_type=password", json: #"{"email":"\#(email)","password":"\#(password)"}"#)
    }

    /// The stored hash of a user's password.
    private func hash(of id: UUID, _ place: ServerPlace) async throws -> String {
        let users = place.dialect == .postgresql ? "auth.users" : "auth_users"
        let database = try openDatabase(place.address)
        let found = try await database.withConnection {
            try await $0.run("SELECT encrypted_password FROM \(users) WHERE id = $1", .uuid(id))
        }
        await database.close()
        return found.scalar?.text ?? ""
    }
}
