// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellClient
import FarewellUI
import Foundation
import Testing

@Suite("Models of the account's screens")
@MainActor
struct ModelTests {
    @Test("SO-2 SO-4 SO-11 signing out asks first, gives one haptic, works once however often it is tapped, and is announced")
    func signsOut() async {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let account = ScriptedAccount(gate: gate)
        let model = AccountModel(account)
        await model.confirm()
        #expect(await account.calls.isEmpty, "nothing happens unasked")
        model.askToSignOut()
        #expect(model.state == .confirming(.local) && model.effects.isEmpty)
        async let first: Void = model.confirm()
        while await account.calls.isEmpty { await Task.yield() }
        #expect(model.state == .working(.local) && !model.isEnabled)
        await model.confirm()
        model.askToSignOut(.global)
        model.cancel()
        #expect(model.state == .working(.local), "while it works nothing else can be tapped")
        open.yield()
        await first
        #expect(model.state == .idle && model.isEnabled)
        #expect(await account.calls == [.signOut(.local)])
        #expect(model.takeEffects() == [.haptic(.medium), .announceScreen("You have been logged out")])
        #expect(model.takeEffects().isEmpty)
    }

    @Test("SO-3 cancelling leaves no trace and makes no haptic and no call", arguments: SignOutScope.allCases)
    func cancels(scope: SignOutScope) async {
        let account = ScriptedAccount()
        let model = AccountModel(account)
        model.askToSignOut(scope)
        model.cancel()
        await model.confirm()
        let calls = await account.calls
        #expect(model.state == .idle && model.effects.isEmpty && calls.isEmpty)
    }

    @Test("SO-5 SO-7 each scope is requested unchanged; a refusal is shown and the user stays")
    func scopes() async {
        let account = ScriptedAccount(failing: [nil, nil, .offline])
        let model = AccountModel(account)
        for scope in [SignOutScope.others, .global] {
            model.askToSignOut(scope)
            await model.confirm()
        }
        #expect(
            model.takeEffects()
                == [.haptic(.medium), .haptic(.medium), .announceScreen("You have been logged out")], "others stay unannounced")
        model.askToSignOut()
        await model.confirm()
        #expect(model.state == .failed("I couldn't reach the server. Please try again when you're online."))
        #expect(await account.calls == [.signOut(.others), .signOut(.global), .signOut(.local)])
        model.cancel()
        #expect(model.state == .idle)
    }

    @Test("AD-2 AD-4 AD-5 deletion asks first, disables everything, shows the server's reports, and ends with an announcement")
    func deletes() async {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let account = ScriptedAccount(reporting: ["fenced", "running"], gate: gate)
        let model = DeletionModel(account)
        model.ask()
        #expect(model.state == .confirming && !model.isDeletingAccount)
        async let all: Void = model.confirm()
        while model.state != .working("running") { await Task.yield() }
        await model.confirm()
        model.ask()
        model.cancel()
        #expect(model.isDeletingAccount, "AD-9 a state of its own, which no tap leaves")
        open.yield()
        await all
        #expect(model.state == .done && !model.isDeletingAccount)
        #expect(await account.calls == [.delete])
        #expect(
            model.takeEffects()
                == [
                    .haptic(.medium), .announce("Removing your account"), .announce("Your account has been removed."),
                ])
        model.ask()
        #expect(model.state == .done, "what is gone is not asked for again")
    }

    @Test("CF-4 SO-8 what a sign-out or a deletion leaves on the device reaches the screens, with its errors")
    func remains() async {
        let line = WipeReport.Line(name: "images", holds: "pictures", outcome: .leftovers(["2 files"]))
        let all: [(WipeReport, [FarewellError])] = [(WipeReport([line]), []), (WipeReport([]), [.broken])]
        for (report, problems) in all {
            let service = ScriptedAccount(leaving: report, problems: problems)
            let account = AccountModel(service)
            account.askToSignOut()
            await account.confirm()
            #expect(account.result == SignOutResult(device: report, server: .told, problems: problems))
            #expect(account.result?.isDeviceClean == false)
            account.askToSignOut()
            #expect(account.result == nil)

            let deletion = DeletionModel(service)
            deletion.ask()
            await deletion.confirm()
            #expect(deletion.state == .done && deletion.result?.device == report && deletion.result?.problems == problems)
            #expect(deletion.takeEffects().last == .announce(Copy.english[.leftOnDevice]))
            deletion.putAwayReceipt()
            #expect(deletion.result == nil && deletion.receipt == nil)
        }
    }

    @Test("AD-3 cancelling a deletion dismisses and makes no call")
    func cancelsDeletion() async {
        let account = ScriptedAccount()
        let model = DeletionModel(account)
        model.ask()
        model.cancel()
        await model.confirm()
        let calls = await account.calls
        #expect(model.state == .idle && calls.isEmpty && model.effects.isEmpty)
    }

    @Test(
        "AD-6 failed and unreachable have different texts in the words of the requirements, and allow another try",
        arguments: [
            (FarewellError.broken, "I couldn't remove your account right now. Please check your connection and try again."),
            (.offline, "I couldn't reach the server. Please try again when you're online."),
        ])
    func fails(error: FarewellError, words: String) async {
        let account = ScriptedAccount(failing: [error])
        let model = DeletionModel(account)
        model.ask()
        await model.confirm()
        #expect(model.state == .failed(words))
        model.ask()
        await model.confirm()
        #expect(model.state == .done)
    }

    @Test(
        "CF-5 a sign-in that no longer counts and a refusal have clear texts of their own, and do not blame the connection",
        arguments: [
            ("device.sign-in-again", Copy.Key.signInAgain), ("device.signed-out", .signInAgain), ("device.forbidden", .forbidden),
            ("device.deletion-403", .forbidden), ("device.deletion-500", .failed), ("server.unknown", .failed),
        ] as [(String, Copy.Key)])
    func refused(code: String, words: Copy.Key) async {
        let model = DeletionModel(ScriptedAccount(failing: [FarewellError(.init(rawValue: code), .yoursToFix, "No.")]))
        model.ask()
        await model.confirm()
        #expect(model.state == .failed(Copy.english[words]))
        #expect(model.effects.contains(.haptic(.medium)))
    }

    @Test("SO-7 a sign-out that the server refuses does not say that the server was not reached")
    func signOutRefused() async {
        let model = AccountModel(ScriptedAccount(failing: [.broken]))
        model.askToSignOut()
        await model.confirm()
        #expect(model.state == .failed("I couldn't log you out right now. Please try again."))
    }

    @Test("SE-8 the list names devices, marks this one, ends any other, and keeps its rows when the network is lost")
    func sessions() async {
        let own = Self.session("a", "Anna's phone", isCurrent: true)
        let tablet = Self.session("b", nil, platform: "iPadOS 19", isCurrent: false)
        let nameless = Self.session("c", nil, isCurrent: false)
        let account = ScriptedAccount(
            failing: [.offline, nil, .offline, nil, nil, .offline], sessions: [own, tablet, nameless])
        let model = SessionListModel(account)
        #expect(model.state == .loading)
        await model.load()
        #expect(model.state == .failed("I couldn't reach the server. Please try again when you're online."))
        await model.load()
        #expect(model.state == .loaded([own, tablet, nameless]))
        await model.load()
        #expect(model.state == .loaded([own, tablet, nameless]))
        #expect([own, tablet, nameless].map(model.name) == ["Anna's phone", "iPadOS 19", "Unknown device"])
        await model.end("a")
        await model.end("unknown")
        await model.end("b")
        #expect(await account.calls == [.sessions, .sessions, .sessions, .end("b"), .sessions])
        await model.end("c")
        #expect(model.state == .failed("I couldn't reach the server. Please try again when you're online."))
    }

    private static func session(
        _ id: String, _ device: String?, platform: String? = nil, isCurrent: Bool
    ) -> ListedSession {
        ListedSession(id: id, device: device, platform: platform, appVersion: nil, lastSeenAt: nil, isCurrent: isCurrent)
    }

    @Test("SO-6 AD-5 AD-7 the first screen follows the changes of the session")
    func root() async {
        let session = DeviceSession(
            id: "s", user: DeviceUser(id: "u"), accessToken: Token("a"), refreshToken: Token("r"), expiresAt: .now, lifetime: 60)
        let model = RootModel()
        #expect(model.screen == .restoring)
        let locked = FarewellError("device.locked", .tryAgain, "locked")
        let entitlement = FarewellError("device.keychain-entitlement", .yoursToFix, "not entitled")
        let foreign = FarewellError("device.record-foreign", .yoursToFix, "another key")
        let damaged = FarewellError("device.seal-broken", .ours, "damaged")
        let story: [(SessionEvent, RootModel.Screen)] = [
            (.initial(.unknown(locked)), .restoring), (.initial(.unknown(entitlement)), .misconfigured(entitlement)),
            (.initial(.unknown(foreign)), .welcome(nil)), (.initial(.unknown(damaged)), .welcome(nil)),
            (.initial(.signedOut(nil)), .welcome(nil)),
            (.signedIn(session), .signedIn(session.user)), (.tokenRefreshed(session), .signedIn(session.user)),
            (.userUpdated(DeviceUser(id: "u", email: "n@example.org")), .signedIn(DeviceUser(id: "u", email: "n@example.org"))),
            (.signedOut(.elsewhere), .welcome(.elsewhere)), (.initial(.signedIn(session)), .signedIn(session.user)),
            (.userDeleted, .welcome(.accountDeleted)),
        ]
        for (event, screen) in story {
            model.take(event)
            #expect(model.screen == screen)
        }
    }

    @Test("SO-10 the failure of a request of the former user is not shown to the next one")
    func lateFailures() async {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let service = ScriptedAccount(failing: [.offline, .broken, .stale], gate: gate)
        let account = AccountModel(service)
        account.askToSignOut(.others)
        let others = Task { await account.confirm() }
        while await service.calls.isEmpty { await Task.yield() }
        account.reset()
        open.yield()
        await others.value
        #expect(account.state == .idle && account.isEnabled)

        for calls in 2...3 {
            let deletion = DeletionModel(service)
            deletion.ask()
            let work = Task { await deletion.confirm() }
            while await service.calls.count < calls { await Task.yield() }
            deletion.reset()
            open.yield()
            await work.value
            #expect(deletion.state == .idle && deletion.proofs.isEmpty)
        }
    }

    @Test("SO-10 AD-5 after a sign-out, or a sign-in of another user, no model shows any data of the previous user")
    func reset() async throws {
        let (gate, opened) = AsyncStream.makeStream(of: Void.self)
        let mine = ListedSession(
            id: "1", device: "Anna's phone", platform: nil, appVersion: nil, lastSeenAt: nil, isCurrent: true)
        let service = ScriptedAccount(failing: [nil, .broken, .offline], sessions: [mine], gate: gate)
        let (account, deletion, list) = (AccountModel(service), DeletionModel(service), SessionListModel(service))
        let root = RootModel(resetting: [account, deletion, list])
        func session(_ user: String) -> DeviceSession {
            DeviceSession(
                id: "s", user: DeviceUser(id: user), accessToken: Token("a"), refreshToken: Token("r"), expiresAt: .now,
                lifetime: 60)
        }
        root.take(.signedIn(session("anna")))
        for _ in 0..<3 { opened.yield() }
        await list.load()
        deletion.ask()
        await deletion.confirm()
        account.askToSignOut()
        await account.confirm()
        #expect(list.state == .loaded([mine]) && deletion.state != .idle && account.state != .idle)
        root.take(.tokenRefreshed(session("anna")))
        #expect(list.state == .loaded([mine]), "their own, as it was")

        let late = Task { await list.load() }
        while await service.calls.count < 4 { await Task.yield() }
        root.take(.signedOut(.byYou))
        #expect(list.state == .loading && list.ending.isEmpty && deletion.state == .idle && account.state == .idle)
        opened.yield()
        await late.value
        #expect(list.state == .loading, "a late answer is dropped")

        opened.finish()
        root.take(.signedIn(session("anna")))
        await list.load()
        root.take(.signedIn(session("berta")))
        #expect(list.state == .loading)
    }
}
