// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
public import FarewellUI
public import SwiftUI

/// The account section of an app's settings: where one is signed in, signing out, deleting the account.
///
/// What the backend cannot do has no row. It belongs into a `Form` or `List` within a `NavigationStack`. What is felt
/// and said, and what shuts everything off while an account is deleted, is `leaving`, at the root of the app: it
/// outlives this section.
@MainActor
public struct AccountSection: View {
    @Bindable var account: AccountModel
    let deletion: DeletionModel
    private let sessions: SessionListModel

    /// - Parameters:
    ///   - account: Signing out.
    ///   - deletion: Deleting the account.
    ///   - sessions: Where the person is signed in.
    public init(_ account: AccountModel, deletion: DeletionModel, sessions: SessionListModel) {
        self.account = account
        self.deletion = deletion
        self.sessions = sessions
    }

    public var body: some View {
        let copy = account.copy
        Section(copy[.account]) {
            if account.offersSessions {
                NavigationLink {
                    SessionList(sessions, account: account)
                } label: {
                    Text(copy[.sessions])
                }
                .accessibilityIdentifier("sessionsLink")
            }
            Button(copy[.logOut], role: .destructive) { account.askToSignOut() }
                .disabled(!account.isEnabled)
                .accessibilityIdentifier("logoutButton")
                .modifier(SignOutQuestion(account, isPresented: $account.isAskingHere))
            DeleteAccountRow(deletion)
        }
    }
}
#endif
