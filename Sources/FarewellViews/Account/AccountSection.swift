// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
public import FarewellUI
public import SwiftUI

/// The account section of an app's settings: sessions, sign-out, deletion of the account.
///
/// Functions that the backend lacks have no row. It belongs into a `Form` or `List` within a `NavigationStack`. Haptics
/// and announcements, and the overlay that blocks the app during a deletion, are in `leaving`, at the root of the app,
/// which outlives this section.
@MainActor
public struct AccountSection: View {
    @Bindable var account: AccountModel
    let deletion: DeletionModel
    private let export: ExportModel?
    private let sessions: SessionListModel

    /// - Parameters:
    ///   - account: Signing out.
    ///   - deletion: Deleting the account.
    ///   - sessions: The user's sessions.
    ///   - export: Downloading the user's data; `nil` offers none.
    public init(
        _ account: AccountModel, deletion: DeletionModel, sessions: SessionListModel, export: ExportModel? = nil
    ) {
        self.account = account
        self.deletion = deletion
        self.sessions = sessions
        self.export = export
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
                .modifier(SignOutFailure(account, isPresented: $account.isTellingHere))
            if let export, export.isOffered { DownloadDataRow(export) }
            DeleteAccountRow(deletion, export: export)
        }
    }
}
#endif
