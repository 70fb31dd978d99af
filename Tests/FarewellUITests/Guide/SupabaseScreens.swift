// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUIInterface)
import Farewell
import FarewellClient
import FarewellUI
import FarewellViews
import Foundation
import SwiftUIInterface
import UIKitInterface

/// The screens of docs/adopting/supabase-swift.md, compiled.
enum SupabaseScreens {
    @MainActor
    struct Account {
        let device: FarewellDevice
        let root: RootModel
        let account: AccountModel
        let deletion: DeletionModel
        let sessions: SessionListModel

        init(_ project: URL, _ anonKey: String, state: String, caches: String) throws {
            device = try FarewellDevice(
                FarewellProvider(
                    project, apiKey: anonKey,
                    deletingBy: DeletionEndpoint("POST", project.appending(path: "functions/v1/delete-account"))), in: StateFolder(state),
                participants: [FolderParticipant("images", at: caches), PreferencesParticipant(keys: ["auth.*"])])
            let service = DeviceAccount(device)
            (account, deletion, sessions) = (AccountModel(service), DeletionModel(service), SessionListModel(service))
            root = RootModel(resetting: [account, deletion, sessions])
        }
    }

    struct AppScreen: View {
        let own: Account

        var body: some View {
            RootView(own.root) { _ in
                WelcomeScreen()
            } signedIn: { _ in
                SettingsScreen(own: own)
            }
            .leaving(own.account, own.deletion)
            .task { await own.root.follow(own.device.events) }
            .task { await own.device.launch() }
        }
    }

    struct SettingsScreen: View {
        let own: Account

        var body: some View {
            NavigationStack { Form { AccountSection(own.account, deletion: own.deletion, sessions: own.sessions) } }
        }
    }

    @MainActor
    final class AccountCoordinator {
        private let own: Account
        private var following: [Task<Void, Never>] = []

        init(_ own: Account) { self.own = own }

        func begin(showing show: @escaping @MainActor (RootModel.Screen) -> Void) {
            let begun = Task {
                for await event in own.device.events {
                    own.root.take(event)
                    show(own.root.screen)
                }
            }
            following = [begun, Task { await own.device.launch() }]
        }

        func settings() -> UIViewController {
            UIHostingController.account(AccountSection(own.account, deletion: own.deletion, sessions: own.sessions))
        }
    }
}
#endif
