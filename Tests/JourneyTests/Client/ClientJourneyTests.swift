// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellClient
import FarewellSQL
import Foundation
import NIOHTTP1
import Subprocess
import SystemPackage
import Testing

@Suite("A device and a running server")
struct ClientJourneyTests {
    @Test(
        "SE-10 SE-2 SE-8 a device signs in, renews, lists its sessions, is ended from the list and learns the reason",
        arguments: SQLDialect.allCases)
    func life(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { server in
                let provider = try ClientPlace.provider(server)
                let phone = try ClientPlace.device(provider, place.folder, "phone")
                let email = "anna-\(UUID().uuidString.lowercased())@example.org"
                let password = Token(SignedIn.password)
                await phone.launch()
                let first = try await phone.signIn { () async throws(ProviderFailure) in
                    try await provider.signUp(email: email, password: password)
                }
                #expect(first.signOutTicket != nil && first.user.email == email)
                let second = try await ClientPlace.renewed(phone)
                #expect(second.accessToken != first.accessToken && second.id == first.id)
                let again = try ClientPlace.device(provider, place.folder, "phone")
                guard case .signedIn(let restored) = await again.launch() else { throw ClientPlace.Odd("not restored") }
                #expect(restored.accessToken == second.accessToken)

                let requests = try ClientPlace.device(provider, place.folder, "requests")
                await requests.launch()
                try await requests.signIn { () async throws(ProviderFailure) in
                    try await provider.signIn(email: email, password: password)
                }
                var events = requests.events.makeAsyncIterator()
                _ = await events.next()
                let listed = try await phone.perform { try await provider.sessions(of: $0) }
                #expect(listed.count == 2 && listed.filter(\.isCurrent).map(\.id) == [second.id])
                #expect(listed.allSatisfy { $0.device == "Journey" && $0.lastSeenAt != nil })
                let other = try #require(listed.first { !$0.isCurrent })
                try await phone.perform { try await provider.end(other.id, of: $0) }
                await #expect(throws: FarewellError.self) { try await requests.perform { try await provider.sessions(of: $0) } }
                #expect(await events.next() == .signedOut(.elsewhere))

                #expect(try await phone.signOut(timeout: .seconds(60)).isComplete)
                #expect(try await server.refresh(second.refreshToken.reveal { $0 }).status == 400)
                #expect(await again.launch() == .signedOut(.byYou), "the other process of the phone")
                let wrong = await #expect(throws: FarewellError.self) {
                    try await phone.signIn { () async throws(ProviderFailure) in
                        try await provider.signIn(email: email, password: Token("wrong"))
                    }
                }
                #expect(wrong?.code == "server.invalid_credentials")
            }
        }
    }

    @Test("SO-7 a sign-out without a server: clean at once, revoked when the server is back, also by a later launch")
    func away() async throws {
        try await ServerPlace.with(.sqlite) { place in
            let kept = Guarded<DeviceSession?>(nil)
            let gone = Guarded<URL?>(nil)
            try await place.serving { server in
                gone.withLock { $0 = URL(string: server.url) }
                let provider = try ClientPlace.provider(server)
                let device = try ClientPlace.device(provider, place.folder, "phone")
                await device.launch()
                let session = try await device.signIn { () async throws(ProviderFailure) in
                    try await provider.signUp(email: "berta@example.org", password: Token(SignedIn.password))
                }
                kept.withLock { $0 = session }
            }
            let session = try #require(kept.withLock { $0 })
            let away = FarewellProvider(try #require(gone.withLock { $0 }))
            let device = try ClientPlace.device(away, place.folder, "phone")
            guard case .signedIn = await device.launch() else { throw ClientPlace.Odd("offline is not signed out") }
            let result = try await device.signOut(timeout: .seconds(60))
            #expect(result.server == .pending && result.device.isClean)
            try await place.serving { server in
                #expect(try await server.isAccepted(session.accessToken.reveal { $0 }), "it has not heard yet")
                let later = try ClientPlace.device(try ClientPlace.provider(server), place.folder, "phone")
                #expect(await later.launch() == .signedOut(.byYou))
                #expect(await later.deliver())
                #expect(try await !server.isAccepted(session.accessToken.reveal { $0 }))
            }
        }
    }

    @Test("C17: an account that an operator deletes leaves the device at the next call, with all its data")
    func deleted() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving { server in
                let provider = try ClientPlace.provider(server)
                let device = try ClientPlace.device(provider, place.folder, "phone")
                await device.launch()
                let session = try await device.signIn { () async throws(ProviderFailure) in
                    try await provider.signUp(email: "carl@example.org", password: Token(SignedIn.password))
                }
                let answer = try await server.ask(
                    .DELETE, "/auth/v1/admin/users/\(session.user.id)", token: try server.serviceKey())
                #expect(answer.status == 200)
                await #expect(throws: FarewellError.self) { try await device.perform { try await provider.sessions(of: $0) } }
                #expect(await device.standing == .signedOut(.accountDeleted))
                #expect(!FileManager.default.fileExists(atPath: place.folder.path + "/phone/pictures"))
            }
        }
    }

    @Test("SE-3 C10: four processes of one app renew at once against a real server without a sign-out or an alarm")
    func processes() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving { server in
                let folder = place.folder.path + "/app"
                _ = try await ClientPlace.app(server, folder, "sign-up", "dora@example.org")
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<4 { group.addTask { try await ClientPlace.app(server, folder, "renew", "10").output } }
                    for try await said in group { #expect(said.contains("renewed"), "\(said)") }
                }
                #expect(try await ClientPlace.app(server, folder, "status").output.contains("signed in"))
                let log = try String(contentsOf: place.log, encoding: .utf8)
                #expect(!log.contains("presented again"))
            }
        }
    }

    @Test("SO-14 after a kill at any recorded state of a sign-out with a real server: signed out, clean, revoked")
    func killed() async throws {
        try await ServerPlace.with(.sqlite) { place in
            try await place.serving { server in
                var killed = 0
                for point in 1...10 {
                    let (folder, email) = (place.folder.path + "/app-\(point)", "emil-\(point)@example.org")
                    _ = try await ClientPlace.app(server, folder, "sign-up", email)
                    let end = try await ClientPlace.app(server, folder, "sign-out", dieAfter: point)
                    if end.isKilled {
                        killed += 1
                        let next = try await ClientPlace.app(server, folder, "launch")
                        #expect(next.output.contains("signed out: by-you"), "after \(point): \(next.output)")
                    }
                    let witness = try await server.signIn(email)
                    let list = try await server.ask(.GET, "/v1/sessions", token: witness.access)
                    #expect((list.json["sessions"] as? [Any])?.count == 1, "after \(point): \(list)")
                    #expect(!FileManager.default.fileExists(atPath: folder + "/pictures"), "after \(point)")
                    if !end.isKilled { break }
                }
                #expect(killed == 4)
            }
        }
    }
}
