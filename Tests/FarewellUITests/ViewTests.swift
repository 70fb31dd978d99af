// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUIInterface)

import Farewell
import FarewellClient
import FarewellUI
import FarewellViews
import Foundation
import SwiftUIInterface
import Testing
import UIKitInterface

@Suite("Views of the account's screens, on a fake of SwiftUI", .serialized)
@MainActor
struct ViewTests {
    /// The models over a scripted service, and the screen that shows them.
    private func screen(
        failing failures: [FarewellError?] = [], sessions: [ListedSession] = [], copy: Copy = .english,
        gate: AsyncStream<Void>? = nil
    ) -> (account: AccountModel, deletion: DeletionModel, list: SessionListModel, screen: AccountScreen, service: ScriptedAccount) {
        let service = ScriptedAccount(failing: failures, sessions: sessions, reporting: ["running"], gate: gate)
        let (account, deletion) = (AccountModel(service, copy: copy), DeletionModel(service, copy: copy))
        let list = SessionListModel(service, copy: copy)
        return (account, deletion, list, AccountScreen(AccountSection(account, deletion: deletion, sessions: list)), service)
    }

    @Test("SO-1 AD-1 the account section: Log Out, destructive; below it the row with a red trash symbol, text and chevron")
    func section() throws {
        let (account, _, _, screen, _) = screen()
        let tree = ViewNode.of(screen)
        let section = try #require(tree.find("Section", "Account"))
        let logOut = try #require(section.find("logoutButton"))
        #expect(logOut.kind == "Button" && logOut.text == ["Log Out"] && logOut.marks["role"] == "destructive")
        let row = try #require(section.find("deleteAccountButton"))
        #expect(row.kind == "Button" && row.text == ["Delete Account"] && row.marks["role"] == "destructive")
        #expect(row.marks["label"] == "Delete account")
        #expect(row.marks["hint"] == "Permanently deletes your account and all data")
        let pictures = row.all.filter { $0.kind == "Image" }
        #expect(pictures.map(\.words) == ["trash", "chevron.forward"] && pictures[0].marks["colour"] == "red")
        let order = section.all.compactMap { $0.marks["identifier"] }
        #expect(
            order.firstIndex(of: "logoutButton") ?? .max < order.firstIndex(of: "deleteAccountButton") ?? .min)
        #expect(tree.find("ConfirmationDialog") == nil && account.state == .idle)
    }

    @Test("EX-1 the download of one's data is above the deletion and in its question, where the backend offers it")
    func exportRow() async throws {
        let service = ScriptedExports()
        let (account, deletion, export) = (AccountModel(service), DeletionModel(service), ExportModel(service))
        let screen = AccountScreen(
            AccountSection(account, deletion: deletion, sessions: SessionListModel(service), export: export))
        let order = ViewNode.of(screen).all.compactMap { $0.marks["identifier"] }
        #expect(order.firstIndex(of: "exportButton") ?? .max < order.firstIndex(of: "deleteAccountButton") ?? .min)
        ViewNode.of(screen).find("deleteAccountButton")?.press?()
        let question = try #require(ViewNode.of(screen).find("exportBeforeDelete"))
        question.press?()
        while export.archive == nil { await Task.yield() }
        #expect(deletion.state == .idle)
        let tree = ViewNode.of(screen)
        #expect(tree.find("shareExport")?.marks["files"] == "zip" && tree.find("exportButton") == nil)
        let row = tree.all.first { $0.marks["buttons"] == "borderless" }
        #expect(row?.find("shareExport") != nil && row?.find("removeExport") != nil, "a tap acts on the tapped button alone")
        tree.find("removeExport")?.press?()
        while export.archive != nil { await Task.yield() }
        let kept = ExportModel(ScriptedExports(exportedData: ScriptedExports.archive))
        let again = AccountScreen(
            AccountSection(account, deletion: deletion, sessions: SessionListModel(service), export: kept))
        for appear in ViewNode.of(again).all.flatMap(\.appears) { await appear() }
        #expect(ViewNode.of(again).find("removeExport") != nil, "EX-3 also at a later launch")
        let (plain, _, _, without, _) = self.screen()
        #expect(ViewNode.of(without).find("exportButton") == nil && plain.state == .idle)
    }

    @Test("SO-2 SO-3 a tap asks first, in the words of the requirements; cancel leaves no trace")
    func asks() async throws {
        let (account, _, _, screen, service) = screen()
        ViewNode.of(screen).find("logoutButton")?.press?()
        let dialog = try #require(ViewNode.of(screen).find("ConfirmationDialog"))
        #expect(dialog.words == "Log out of your account?")
        #expect(dialog.text == ["Log out of your account?", "Log Out", "Cancel", "You can log back in anytime."])
        #expect(dialog.find("confirmLogout")?.marks["role"] == "destructive")
        #expect(dialog.find("cancelLogout")?.marks["role"] == "cancel")
        dialog.find("cancelLogout")?.press?()
        let tree = ViewNode.of(screen)
        #expect(tree.find("ConfirmationDialog") == nil && account.state == .idle && account.effects.isEmpty)
        #expect(await service.calls.isEmpty)
    }

    @Test(
        "SO-4 SO-11 a confirmation counts whether the dialog is dismissed before or after the action; with haptic and announcement",
        arguments: [true, false])
    func signsOut(putAwayFirst: Bool) async throws {
        let (account, _, _, screen, service) = screen()
        _ = AccessibilityNotification.Announcement.takeHeard()
        ViewNode.of(screen).find("logoutButton")?.press?()
        let dialog = try #require(ViewNode.of(screen).find("ConfirmationDialog"))
        let steps = [{ dialog.putAway?() }, { dialog.find("confirmLogout")?.press?() }]
        for step in putAwayFirst ? steps : steps.reversed() { step() }
        #expect(await heard(1) == ["screen: You have been logged out"], "although no view performs it")
        #expect(await service.calls == [.signOut(.local)] && account.state == .idle)
        let tree = ViewNode.of(screen)
        tree.all.flatMap(\.changes).forEach { $0() }
        #expect(AccessibilityNotification.Announcement.takeHeard().isEmpty, "once")
        let felt = tree.all.flatMap(\.agains).flatMap { $0().felt }
        #expect(felt.contains("impact medium 1") && account.effects.isEmpty, "\(felt)")
    }

    /// The next words that a screen reader says, as soon as there are so many.
    private func heard(_ count: Int) async -> [String] {
        var words: [String] = []
        while words.count < count {
            await Task.yield()
            words += AccessibilityNotification.Announcement.takeHeard()
        }
        return words
    }

    @Test("SO-11 AD-5 a sign-out and a deletion are announced once, even after an app has hidden the screen")
    func announcesWithoutScreen() async throws {
        for (control, answer, words) in [
            ("logoutButton", "confirmLogout", ["screen: You have been logged out"]),
            ("deleteAccountButton", "confirmDelete", ["Removing your account", "Your account has been removed."]),
        ] {
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let (account, deletion, _, screen, service) = screen(gate: gate)
            _ = AccessibilityNotification.Announcement.takeHeard()
            ViewNode.of(screen).find(control)?.press?()
            ViewNode.of(screen).find(answer)?.press?()
            while await service.calls.isEmpty { await Task.yield() }
            // No view looks at the models any more.
            open.yield()
            #expect(await heard(words.count) == words)
            #expect(!(account.takeEffects() + deletion.takeEffects()).contains { $0 != .haptic(.medium) })
            deletion.putAwayReceipt()
        }
    }

    @Test("SO-4 the control is disabled while it works; a failure is shown and dismissed")
    func works() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (account, _, _, screen, service) = screen(failing: [.offline], gate: gate)
        ViewNode.of(screen).find("logoutButton")?.press?()
        ViewNode.of(screen).find("confirmLogout")?.press?()
        while await service.calls.isEmpty { await Task.yield() }
        #expect(ViewNode.of(screen).find("logoutButton")?.marks["disabled"] == "yes")
        open.yield()
        while account.failure == nil { await Task.yield() }
        let alert = try #require(ViewNode.of(screen).find("Alert"))
        #expect(alert.words == "I couldn't reach the server. Please try again when you're online.")
        alert.putAway?()
        #expect(account.state == .idle && ViewNode.of(screen).find("Alert") == nil)
    }

    @Test("SO-7 a failure is shown once, beside the tapped control, since a sheet of settings covers the app's root")
    func failsInSheet() async throws {
        let service = ScriptedAccount(failing: [.offline, .offline])
        let account = AccountModel(service)
        let section = AccountSection(account, deletion: DeletionModel(service), sessions: SessionListModel(service))
        let list = SessionList(SessionListModel(service), account: account)
        for (scope, tellsHere) in [(SignOutScope.local, true), (.others, false)] {
            await account.confirmed(scope)
            #expect((ViewNode.of(list).find("Alert") == nil) == tellsHere)
            let alerts = ViewNode.of(AccountScreen(section)).all.filter { $0.kind == "Alert" }
            #expect(ViewNode.of(section).find("Alert") != nil)
            #expect(alerts.count == 1 && account.isTellingHere == tellsHere && account.isTellingElsewhere != tellsHere)
            alerts.first?.putAway?()
            #expect(account.state == .idle)
        }
    }

    @Test("AD-2 AD-3 AD-4 deletion asks in its words, cancels without a trace, and disables everything while it works")
    func deletes() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (_, deletion, _, screen, service) = screen(gate: gate)
        _ = AccessibilityNotification.Announcement.takeHeard()
        ViewNode.of(screen).find("deleteAccountButton")?.press?()
        #expect(ViewNode.of(screen).find("ConfirmationDialog") == nil, "AD-2 by an alert")
        let dialog = try #require(ViewNode.of(screen).find("Alert"))
        #expect(dialog.text.contains(Copy.english[.deleteMessage]))
        #expect(dialog.find("confirmDelete")?.marks["role"] == "destructive")
        #expect(dialog.find("confirmDelete")?.text == ["Delete Account"])
        dialog.find("cancelDelete")?.press?()
        dialog.putAway?()
        #expect(deletion.state == .idle)
        #expect(await service.calls.isEmpty)

        ViewNode.of(screen).find("deleteAccountButton")?.press?()
        let again = try #require(ViewNode.of(screen).find("Alert"))
        again.putAway?()
        again.find("confirmDelete")?.press?()
        while deletion.state != .working("running") { await Task.yield() }
        let tree = ViewNode.of(screen)
        let overlay = try #require(tree.find("deletionOverlay"))
        #expect(overlay.text == ["50%", "Removing your account..."] && overlay.marks["label"] == "Removing your account")
        #expect(overlay.marks["traits"] == "isModal" && overlay.find("ProgressView")?.words == "50%")
        #expect(overlay.all.contains { $0.marks["area"] == "whole" }, "it covers the whole screen")
        let cover = try #require(tree.find("FullScreenCover"), "and a sheet that the row is in")
        #expect(cover.find("deletionOverlay") != nil)
        cover.putAway?()
        #expect(deletion.isDeletingAccount, "no platform puts it away")
        let below = try #require(tree.all.first { $0.kind == "NavigationStack" })
        #expect(below.marks["disabled"] == "yes" && below.marks["hidden"] == "yes")
        open.yield()
        while deletion.state != .done { await Task.yield() }
        tree.all.flatMap(\.changes).forEach { $0() }
        #expect(
            AccessibilityNotification.Announcement.takeHeard()
                == ["Removing your account", "Your account has been removed."])
        #expect(ViewNode.of(screen).find("deletionOverlay") == nil)
        let receipt = ViewNode.of(ReceiptView(deletion))
        #expect(receipt.find("deletedMessage")?.text == ["Your account has been removed."])
        #expect(receipt.find("receiptNumber")?.text == ["0b54"])
        #expect(receipt.find("leftOnDevice") == nil, "the device is clean")
        let share = try #require(receipt.find("receiptShare"))
        #expect(share.kind == "ShareLink" && share.text == ["Share the receipt"] && share.marks["files"] == "jws html")
        let files = deletion.receiptFiles
        #expect(try files.map { try String(contentsOf: $0, encoding: .utf8) } == ["a.b.c", "<p>gone</p>"])
        deletion.reset()
        #expect(deletion.isShowingReceipt, "it stays for the first screen of the next person to be put away")
        receipt.find("receiptDone")?.press?()
        #expect(!deletion.isShowingReceipt && deletion.receiptFiles.isEmpty)
        #expect(!files.contains { FileManager.default.fileExists(atPath: $0.path) }, "put away is gone")
        #expect(ViewNode.of(ReceiptView(deletion)).find("receiptShare") == nil, "none is offered where there is none")
    }

    @Test("CF-4 the sheet after a deletion says that data is still on the device")
    func leftOnDevice() async {
        let line = WipeReport.Line(name: "images", holds: "pictures", outcome: .leftovers(["2 files"]))
        let deletion = DeletionModel(ScriptedAccount(leaving: WipeReport([line])))
        deletion.ask()
        await deletion.confirm()
        #expect(ViewNode.of(ReceiptView(deletion)).find("leftOnDevice")?.text == [Copy.english[.leftOnDevice]])
        deletion.putAwayReceipt()
        #expect(ViewNode.of(ReceiptView(deletion)).find("leftOnDevice") == nil)
    }

    @Test("AD-6 a failure is shown in its words; another try runs it again")
    func fails() async throws {
        let (_, deletion, _, screen, service) = screen(failing: [.broken])
        deletion.ask()
        await deletion.confirm()
        let alert = try #require(ViewNode.of(screen).find("Alert"))
        #expect(alert.words == "I couldn't remove your account right now. Please check your connection and try again.")
        alert.putAway?()
        alert.find("Button", "Try Again")?.press?()
        while deletion.state != .done { await Task.yield() }
        #expect(await service.calls == [.delete, .delete])
    }

    @Test("AP-2 APP-04 Item 29: the sheet requests the proofs that the account can give, and no view keeps a secret")
    func proves() async throws {
        let service = ScriptedAccount(failing: [.stale, .proofCancelled], proofs: [.apple, .password, .mailedCode])
        let (account, deletion) = (AccountModel(service), DeletionModel(service))
        let screen = AccountScreen(AccountSection(account, deletion: deletion, sessions: SessionListModel(service)))
        deletion.ask()
        await deletion.confirm()
        let sheet = try #require(ViewNode.of(screen).find("Sheet"))
        #expect(sheet.text.contains("Please confirm that it's you.") && sheet.find("deletionOverlay") == nil)
        #expect(sheet.find("proofContinue")?.marks["disabled"] == "yes", "nothing is written yet")
        #expect(sheet.find("proofCode") == nil, "no code was sent")
        sheet.find("proofApple")?.press?()
        while deletion.proofProblem == nil { await Task.yield() }
        #expect(ViewNode.of(screen).find("proofProblem")?.text == ["You cancelled the check. Nothing was deleted."])
        ViewNode.of(screen).find("proofSendCode")?.press?()
        while !deletion.isCodeSent { await Task.yield() }
        let again = try #require(ViewNode.of(screen).find("Sheet"))
        #expect(again.find("proofCode")?.kind == "SecureField")
        let field = try #require(again.find("proofPassword"))
        #expect(field.kind == "SecureField")
        field.write?("secret")
        again.find("proofContinue")?.press?()
        while deletion.state != .done { await Task.yield() }
        #expect(
            await service.calls
                == [.delete, .confirm(.apple), .sendCode, .confirm(.password("secret")), .deleteProved("step-up")])
    }

    @Test("APP-09 an action that the backend lacks has no row")
    func hidden() async throws {
        let service = ScriptedAccount(scopes: [.local], listsSessions: false)
        let (account, deletion, list) = (AccountModel(service), DeletionModel(service), SessionListModel(service))
        let tree = ViewNode.of(AccountScreen(AccountSection(account, deletion: deletion, sessions: list)))
        #expect(tree.find("sessionsLink") == nil && tree.find("logoutButton") != nil)
        #expect(tree.find("deleteAccountButton") != nil)
        let global = ScriptedAccount(sessions: [Self.session("a", "Phone", isCurrent: true)], scopes: [.local, .global])
        let listed = SessionListModel(global)
        await listed.load()
        let all = ViewNode.of(SessionList(listed, account: AccountModel(global)))
        #expect(all.find("othersButton") == nil && all.find("everywhereButton") != nil)
    }

    @Test("SE-8 the list loads automatically, marks this device and names the effect of each button")
    func sessions() async throws {
        let all = [Self.session("a", "Anna's phone", isCurrent: true), Self.session("b", nil, platform: "iPadOS 19")]
        let (account, _, list, screen, service) = screen(sessions: all)
        let closed = try #require(ViewNode.of(screen).find("sessionsLink"))
        #expect(closed.find("ProgressView") != nil, "until it is read")
        for appear in closed.all.flatMap(\.appears) { await appear() }
        #expect(await service.calls == [.sessions])
        let tree = try #require(ViewNode.of(screen).find("sessionsLink"))
        #expect(tree.text.contains("Anna's phone") && tree.text.contains("iPadOS 19"))
        #expect(tree.all.count { $0.marks["identifier"] == "thisDevice" } == 1)
        #expect(tree.find("endSession-a") == nil, "this device is signed out, not ended")
        let end = try #require(tree.find("endSession-b"))
        #expect(end.marks["label"] == "End: iPadOS 19" && end.marks["role"] == "destructive")
        #expect(end.marks["buttons"] == "borderless", "a tap elsewhere in the row ends nothing")
        end.press?()
        while await service.calls.count < 3 { await Task.yield() }
        #expect(await service.calls == [.sessions, .end("b"), .sessions])
        ViewNode.of(screen).find("othersButton")?.press?()
        #expect(account.asked == .others && list.state != .loading)
        #expect(ViewNode.of(screen).find("ConfirmationDialog")?.words == "Log out everywhere else")
        account.isAskingElsewhere = false
        #expect(account.asked == nil && account.lastAsked == .others, "SO-5 the button acts in the scope of its question")
    }

    @Test("SE-8 after a sign-out everywhere else the list is read again; after a refused one it stays")
    func othersEnded() async throws {
        let all = [Self.session("a", "Phone", isCurrent: true), Self.session("b", "Tablet")]
        for (failures, expected): ([FarewellError?], Int) in [([nil, nil], 2), ([nil, .offline], 1)] {
            let (account, _, list, _, service) = screen(failing: failures, sessions: all)
            await list.load()
            let view = SessionList(list, account: account)
            ViewNode.of(view).find("othersButton")?.press?()
            ViewNode.of(view).find("confirmLogout")?.press?()
            while await service.calls.count < expected + 1 { await Task.yield() }
            while !account.isEnabled { await Task.yield() }
            #expect(await service.calls.filter { $0 == .sessions }.count == expected)
            #expect(list.state == .loaded(all))
        }
    }

    @Test("SO-6 AD-7 the first screen follows the model: restoring, welcome, the app")
    func root() {
        let root = RootModel()
        let view = RootView(root) { reason in
            Text(reason == .accountDeleted ? "gone" : "welcome")
        } signedIn: { user in
            Text(user.id)
        }
        #expect(ViewNode.of(view).find("restoring") != nil)
        root.take(.initial(.unknown(FarewellError("device.keychain-entitlement", .yoursToFix, "Not entitled.", remedy: "Sign it."))))
        #expect(ViewNode.of(view).find("misconfigured")?.text == ["Not entitled. Sign it."], "APP-10")
        root.take(.initial(.signedOut(nil)))
        #expect(ViewNode.of(view).text == ["welcome"])
        root.take(.userDeleted)
        #expect(ViewNode.of(view).text == ["gone"])
        let session = DeviceSession(
            id: "s", user: DeviceUser(id: "u"), accessToken: Token("a"), refreshToken: Token("r"), expiresAt: .now, lifetime: 60)
        root.take(.signedIn(session))
        #expect(ViewNode.of(view).text == ["u"])
    }

    @Test("every text grows with the user's text size, in each language and direction", arguments: Copy.all)
    func languages(copy: Copy) async throws {
        let (_, deletion, list, screen, _) = screen(sessions: [Self.session("a", "Phone", isCurrent: true)], copy: copy)
        await list.load()
        deletion.ask()
        await deletion.confirm()
        let tree = ViewNode.of(screen)
        #expect(tree.all.contains { $0.marks["direction"] == (copy.isRightToLeft ? "rightToLeft" : "leftToRight") })
        #expect(tree.find("logoutButton")?.text == [copy[.logOut]])
        #expect(tree.find("deleteAccountButton")?.marks["hint"] == copy[.deleteHint])
        let fonts = Set((tree.all + ViewNode.of(ReceiptView(deletion)).all).compactMap { $0.marks["font"] })
        #expect(fonts.isSubset(of: ["headline", "body", "footnote", "title2"]), "styles of text, no sizes: \(fonts)")
        let controls = tree.all.filter { ["Button", "SecureField", "NavigationLink"].contains($0.kind) }
        #expect(controls.allSatisfy { !$0.text.joined().isEmpty }, "every control has a name")
    }

    @Test("apps with view controllers get the same screens")
    func controllers() throws {
        let (account, deletion, list, _, _) = screen()
        let controller = UIHostingController.account(AccountSection(account, deletion: deletion, sessions: list))
        let hosting = try #require(controller as? UIHostingController<AccountScreen>)
        #expect(controller.title == "Account" && ViewNode.of(hosting.rootView).find("logoutButton") != nil)
        let receipt = try #require(UIHostingController.receipt(deletion) as? UIHostingController<ReceiptView>)
        #expect(ViewNode.of(receipt.rootView).find("deletedMessage") != nil)
    }

    private static func session(
        _ id: String, _ device: String?, platform: String? = nil, isCurrent: Bool = false
    ) -> ListedSession {
        ListedSession(id: id, device: device, platform: platform, appVersion: nil, lastSeenAt: .now, isCurrent: isCurrent)
    }
}
#endif
