// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellClient
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("A device that deletes its account at a running server")
struct ClientDeletionTests {
    /// A device on which one of the app's people is signed in by their password.
    private func signedIn(
        _ index: Int, _ place: ErasurePlace, _ server: RunningServer, over transport: any HTTPTransport
    ) async throws -> (device: FarewellDevice, provider: FarewellProvider, email: String) {
        let email = try await place.signIn(index, server).email
        let provider = FarewellProvider(try #require(URL(string: server.url)), transport: transport)
        let device = try ClientPlace.device(provider, place.place.folder, "phone-\(index)")
        await device.launch()
        try await device.signIn { () async throws(ProviderFailure) in
            try await provider.signIn(email: email, password: Token(SignedIn.password))
        }
        return (device, provider, email)
    }

    private func pictures(_ index: Int, _ place: ErasurePlace) -> Bool {
        FileManager.default.fileExists(atPath: place.place.folder.path + "/phone-\(index)/pictures")
    }

    @Test(
        "CF-1 AD-5 AD-7 AD-8 SE-10 a deletion from the device: no rows, a clean device, a refused sign-in, a new user at the next sign-up",
        arguments: SQLDialect.allCases)
    func deletion(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 3) { place in
            let neighbours = try await place.rows(without: [0])
            let somebodyNew = Guarded("")
            try await place.place.serving(place.settings()) { server in
                let (device, provider, email) = try await signedIn(0, place, server, over: LiveHTTPTransport(timeout: 120))
                let token = try await device.session.accessToken
                #expect(try await place.count(0) > 10 && pictures(0, place))
                var events = device.events.makeAsyncIterator()
                _ = await events.next()
                let told = Guarded<[DeletionProgress]>([])
                let result = try await device.deleteAccount(timeout: .seconds(120)) { progress in
                    told.withLock { $0.append(progress) }
                }
                #expect(result.isDone && result.device.isClean && result.problems.isEmpty, "\(result)")
                let receipt = try #require(result.server.receipt, "the server offers its proof, and the device brings it along")
                let kept = try await place.query("SELECT receipt FROM \(place.control)erasures").compactMap { $0[0].text }
                #expect(kept == [receipt.signed] && receipt.page?.contains(receipt.signed) == true)
                #expect(result.server.id != nil && told.withLock { $0.last?.state } == "done")
                #expect(await events.next() == .userDeleted)
                #expect(try await place.count(0) == 0 && !pictures(0, place))
                #expect(try await !server.isAccepted(token.reveal { $0 }))
                let refused = await #expect(throws: FarewellError.self) {
                    try await device.signIn { () async throws(ProviderFailure) in
                        try await provider.signIn(email: email, password: Token(SignedIn.password))
                    }
                }
                #expect(refused?.code == "server.invalid_credentials")
                let next = try ClientPlace.device(provider, place.place.folder, "phone-0")
                #expect(await next.launch() == .signedOut(nil), "a new device's")
                let again = try await next.signIn { () async throws(ProviderFailure) in
                    try await provider.signUp(email: email, password: Token(SignedIn.password))
                }
                #expect(again.user.id.lowercased() != place.key(0).lowercased())
                somebodyNew.withLock { $0 = again.user.id }
                #expect(try await place.count(0) == 0)
            }
            #expect(try await place.rows(without: [0], nor: [somebodyNew.withLock { $0 }]) == neighbours)
        }
    }

    @Test("C6 SV-9 after a lost answer the ticket shows the result at once; if that is also lost, the next launch shows it")
    func lostAnswers() async throws {
        try await ErasurePlace.with(.sqlite, people: 3) { place in
            try await place.place.serving(place.settings()) { server in
                let posts = LosingTransport { $0.method == "POST" && $0.url.path.hasSuffix("/v1/erasures") }
                let first = try await signedIn(0, place, server, over: posts)
                let result = try await first.device.deleteAccount(timeout: .seconds(120))
                #expect(result.isDone && result.device.isClean)
                #expect(try await place.count(0) == 0 && !pictures(0, place))

                let all = LosingTransport { $0.url.path.contains("/v1/erasures") }
                let second = try await signedIn(1, place, server, over: all)
                let error = await #expect(throws: FarewellError.self) { try await second.device.deleteAccount() }
                #expect(error?.code == "device.offline" && error?.family == .tryAgain)
                #expect(pictures(1, place), "nothing is touched before it is known")
                all.loses.withLock { $0 = { _ in false } }
                let next = try ClientPlace.device(second.provider, place.place.folder, "phone-1")
                #expect(await next.launch() == .signedOut(.accountDeleted))
                #expect(!pictures(1, place))
            }
            #expect(try await place.count(1) == 0)
        }
    }

    @Test("CF-2 C1 after a kill at any recorded state of a deletion, a real server erases once and the device is clean")
    func killed() async throws {
        try await ErasurePlace.with(.sqlite, people: 8) { place in
            try await place.place.serving(place.settings()) { server in
                var killed = 0
                for point in 1...7 {
                    let folder = place.place.folder.path + "/app-\(point)"
                    let email = try await place.signIn(point, server).email
                    _ = try await ClientPlace.app(server, folder, "sign-in", email)
                    let end = try await ClientPlace.app(server, folder, "delete", dieAfter: point)
                    if end.isKilled {
                        killed += 1
                        let next = try await ClientPlace.app(server, folder, "launch")
                        #expect(next.output.contains("signed out: account-deleted"), "after \(point): \(next.output)")
                    } else {
                        #expect(end.output.contains("deleted: device clean, server done"), "\(end.output)")
                    }
                    #expect(!FileManager.default.fileExists(atPath: folder + "/pictures"), "after \(point)")
                    let gone = try await server.ask(
                        .POST, "/auth/v1/token?grant_type=password",
                        json: #"{"email":"\#(email)","password":"\#(SignedIn.password)"}"#)
                    #expect(gone.code == "invalid_credentials", "after \(point): \(gone)")
                    #expect(try await place.count(point) == 0, "after \(point)")
                    if !end.isKilled { break }
                }
                #expect(killed == 5)
                let runs = try await place.query("SELECT count(*) FROM \(place.control)erasures WHERE state = 'done'")
                #expect(runs == [[.integer(6)]], "each under its own key, and once")
            }
        }
    }
}
