// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUI)
import Farewell
public import FarewellUI
public import SwiftUI

/// A whole screen for apps that have no settings of their own to put `AccountSection` into.
public struct AccountScreen: View {
    private let account: AccountModel
    private let deletion: DeletionModel
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
        NavigationStack {
            Form {
                AccountSection(account, deletion: deletion, sessions: sessions)
            }
            .navigationTitle(account.copy[.account])
        }
        .leaving(account, deletion)
        .environment(\.layoutDirection, account.copy.isRightToLeft ? .rightToLeft : .leftToRight)
    }
}
#endif
