// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellClient
import FarewellSQL
import FarewellUI
import Foundation
import Testing

@Suite("The models of an account's screens, on a device, at a running server")
@MainActor
struct ClientScreenTests {
    /// A device that is signed in, its screens, and which of them is first.
    private struct Phone {
        let device: FarewellDevice
        let root: RootModel
        let account: AccountModel
        let deletion: DeletionModel
        let sessions: SessionListModel
        let following: Task<Void, Never>

        /// Waits until the first screen is as wished.
        @MainActor
        func until(_ holds: (RootModel.Screen) -> Bool) async throws {
            let clock = ContinuousClock()
            let end = clock.now + .seconds(600)
            while !holds(root.screen) {
                try #require(clock.now < end, "the screen is \(root.screen)")
                try await clock.sleep(for: .milliseconds(20))
            }
        }
    }

    private func phone(_ name: String, _ email: String, _ place: ErasurePlace, _ server: RunningServer) async throws -> Phone {
        let provider = FarewellProvider(
            try #require(URL(string: server.url)), device: SessionDevice(name: name, platform: "Test", appVersion: "1"),
            transport: LiveHTTPTransport(timeout: 120))
        let device = try ClientPlace.device(provider, place.place.folder, name)
        await device.launch()
        let service = DeviceAccount(device, provider)
        let (account, deletion) = (AccountModel(service), DeletionModel(service))
        let sessions = SessionListModel(service)
        let root = RootModel(resetting: [account, deletion, sessions])
        let events = device.events
        let following = Task { await root.follow(events) }
        try await device.signIn { () async throws(ProviderFailure) in
            try await provider.signIn(email: email, password: Token(SignedIn.password))
        }
        return Phone(
            device: device, root: root, account: account, deletion: deletion, sessions: sessions, following: following)
    }

    @Test(
        "SO-2 SO-5 SO-6 SO-10 SO-11 SE-8 AD-4 AD-5 AD-7 the screens sign out, end sessions and delete at a real server",
        arguments: SQLDialect.allCases)
    func screens(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 3) { place in
            try await place.place.serving(place.settings()) { @MainActor server in
                let email = try await place.signIn(0, server).email
                let first = try await phone("phone", email, place, server)
                let second = try await phone("tablet", email, place, server)
                defer { [first, second].forEach { $0.following.cancel() } }
                try await first.until { if case .signedIn = $0 { true } else { false } }

                await first.sessions.load()
                guard case .loaded(let list) = first.sessions.state else {
                    Issue.record("\(first.sessions.state)")
                    return
                }
                #expect(list.filter(\.isCurrent).map(\.device) == ["phone"])
                let tablet = try #require(list.first { $0.device == "tablet" })
                await first.sessions.end(tablet.id)
                guard case .loaded(let left) = first.sessions.state else {
                    Issue.record("\(first.sessions.state)")
                    return
                }
                #expect(!left.contains { $0.device == "tablet" } && left.contains(where: \.isCurrent))
                await second.sessions.load()
                try await second.until { if case .welcome = $0 { true } else { false } }
                #expect(second.sessions.state == .loading, "nothing of the list can be read by who comes next")

                first.account.askToSignOut(.others)
                await first.account.confirm()
                #expect(first.account.state == .idle)
                let again = try await phone("watch", email, place, server)
                defer { again.following.cancel() }
                again.account.askToSignOut()
                await again.account.confirm()
                try await again.until { if case .welcome = $0 { true } else { false } }
                #expect(again.account.takeEffects() == [.haptic(.medium), .announceScreen("You have been logged out")])

                first.deletion.ask()
                await first.deletion.confirmed()
                #expect(first.deletion.receipt?.id != nil)
                #expect(first.deletion.receiptFiles.map(\.pathExtension) == ["jws", "html"])
                let signed = try String(contentsOf: try #require(first.deletion.receiptFiles.first), encoding: .utf8)
                #expect(signed == first.deletion.receipt?.receipt?.signed && signed.split(separator: ".").count == 3)
                first.deletion.putAwayReceipt()
                try await first.until { $0 == .welcome(.accountDeleted) }
                #expect(
                    first.deletion.takeEffects()
                        == [.haptic(.medium), .announce("Removing your account"), .announce("Your account has been removed.")])
                try await eventually { try await place.count(0) == 0 }
            }
        }
    }

    @Test("AD-6 SO-7 with the server gone, a deletion reports it and changes nothing, and a sign-out signs out")
    func unreachable() async throws {
        try await ErasurePlace.with(.sqlite, people: 3) { place in
            let left = Guarded<Phone?>(nil)
            try await place.place.serving(place.settings()) { @MainActor server in
                let made = try await phone("phone", place.signIn(1, server).email, place, server)
                left.withLock { $0 = made }
            }
            guard let own = left.withLock({ $0 }) else {
                Issue.record("no user signed in")
                return
            }
            defer { own.following.cancel() }
            own.deletion.ask()
            await own.deletion.confirm()
            #expect(own.deletion.failure == "I couldn't reach the server. Please try again when you're online.")
            guard case .signedIn = own.root.screen else {
                Issue.record("\(own.root.screen)")
                return
            }
            own.account.askToSignOut()
            await own.account.confirm()
            try await own.until { if case .welcome = $0 { true } else { false } }
        }
    }
}
